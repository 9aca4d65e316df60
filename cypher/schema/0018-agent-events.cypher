// Messages between agents that came or went in an envelope: see src/agents/events/.
CREATE CONSTRAINT agent_event_key IF NOT EXISTS FOR (n:AgentEvent) REQUIRE (n.tenant, n.key) IS UNIQUE;
// Newest first: of an agent, of a conversation, of a task; and by age, for those that have had their time.
CREATE INDEX agent_event_of_agent IF NOT EXISTS FOR (n:AgentEvent) ON (n.tenant, n.agent, n.at);
CREATE INDEX agent_event_of_tenant IF NOT EXISTS FOR (n:AgentEvent) ON (n.tenant, n.at);
CREATE INDEX agent_event_of_correlation IF NOT EXISTS FOR (n:AgentEvent) ON (n.tenant, n.correlationId, n.at);
CREATE INDEX agent_event_of_task IF NOT EXISTS FOR (n:AgentEvent) ON (n.tenant, n.taskId);
CREATE INDEX agent_event_age IF NOT EXISTS FOR (n:AgentEvent) ON (n.at);
