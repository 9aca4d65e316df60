// No change is older than the one before it: the ledger keeps the time of the last one.
MATCH (l:Ledger) WHERE l.changedAt IS NULL
MATCH (c:Change {tenant: l.tenant, sequence: l.sequence})
SET l.changedAt = c.timestamp;
