// Ledgers by the time of their last change, for the change feed of many tenants: see src/changes/feed.ts.
CREATE INDEX ledger_changed_at IF NOT EXISTS FOR (l:Ledger) ON (l.changedAt);
