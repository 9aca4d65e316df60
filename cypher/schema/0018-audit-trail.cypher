// The audit trail: see src/graph/audit.
CREATE CONSTRAINT audit_chain IF NOT EXISTS FOR (c:AuditChain) REQUIRE c.id IS UNIQUE;
CREATE CONSTRAINT audit_entry IF NOT EXISTS FOR (e:AuditEntry) REQUIRE (e.chain, e.sequence) IS UNIQUE;
CREATE INDEX audit_chain_tenant IF NOT EXISTS FOR (c:AuditChain) ON (c.tenant);
CREATE INDEX audit_entry_time IF NOT EXISTS FOR (e:AuditEntry) ON (e.tenant, e.at);
