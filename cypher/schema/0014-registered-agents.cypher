// Agents that are registered: see src/agents/. Only these have the properties of the indexes.
CREATE INDEX agent_registered IF NOT EXISTS FOR (n:Agent) ON (n.tenant, n.registeredAt);
// Only those have a lease that have an address to look at.
CREATE INDEX agent_lease IF NOT EXISTS FOR (n:Agent) ON (n.leaseUntil);
CREATE FULLTEXT INDEX agent_text IF NOT EXISTS FOR (n:Agent) ON EACH [n.name, n.description, n.tags, n.skillNames, n.skillTexts];
// What they are called with, encrypted.
CREATE CONSTRAINT agent_credentials_key IF NOT EXISTS FOR (n:AgentCredentials) REQUIRE (n.tenant, n.id) IS UNIQUE;
