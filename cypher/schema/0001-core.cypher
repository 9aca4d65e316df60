// Keys of everything that Concord keeps. Each statement is idempotent, so that two replicas may run it at once.
CREATE CONSTRAINT entity_key IF NOT EXISTS FOR (n:Entity) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE CONSTRAINT ledger_key IF NOT EXISTS FOR (n:Ledger) REQUIRE n.tenant IS UNIQUE;
CREATE CONSTRAINT agent_key IF NOT EXISTS FOR (n:Agent) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE CONSTRAINT task_key IF NOT EXISTS FOR (n:Task) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE CONSTRAINT update_key IF NOT EXISTS FOR (n:Update) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT update_idempotency IF NOT EXISTS FOR (n:Update) REQUIRE (n.tenant, n.sourceAgentId, n.idempotencyKey) IS UNIQUE;
CREATE INDEX update_status IF NOT EXISTS FOR (n:Update) ON (n.tenant, n.status, n.proposedAt);
CREATE CONSTRAINT change_key IF NOT EXISTS FOR (n:Change) REQUIRE (n.tenant, n.sequence) IS UNIQUE;
CREATE CONSTRAINT predicate_iri IF NOT EXISTS FOR (n:Predicate) REQUIRE n.iri IS UNIQUE;
CREATE CONSTRAINT predicate_type IF NOT EXISTS FOR (n:Predicate) REQUIRE n.relationshipType IS UNIQUE;
CREATE CONSTRAINT class_iri IF NOT EXISTS FOR (n:Class) REQUIRE n.iri IS UNIQUE;
CREATE CONSTRAINT class_label IF NOT EXISTS FOR (n:Class) REQUIRE n.label IS UNIQUE;
CREATE INDEX past_statement IF NOT EXISTS FOR ()-[r:PAST]-() ON (r.statementId);
