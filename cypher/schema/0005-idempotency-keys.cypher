// Updates that still have a key, by age: see src/knowledge/update/keySweep.ts.
CREATE INDEX update_key_age IF NOT EXISTS FOR (n:Update) ON (n.proposedAt, n.idempotencyKey);
