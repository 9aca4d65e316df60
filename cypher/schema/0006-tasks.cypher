// Tasks of A2A with what was said and made in them: see src/tasks/.
CREATE CONSTRAINT message_key IF NOT EXISTS FOR (n:Message) REQUIRE (n.tenant, n.taskId, n.key) IS UNIQUE;
CREATE CONSTRAINT artifact_key IF NOT EXISTS FOR (n:Artifact) REQUIRE (n.tenant, n.taskId, n.artifactId) IS UNIQUE;
CREATE CONSTRAINT task_event_key IF NOT EXISTS FOR (n:TaskEvent) REQUIRE (n.tenant, n.taskId, n.index) IS UNIQUE;
// Lists, newest first: of an agent, of a tenant, of a conversation.
CREATE INDEX task_of_owner IF NOT EXISTS FOR (n:Task) ON (n.tenant, n.owner, n.statusAt, n.id);
CREATE INDEX task_of_tenant IF NOT EXISTS FOR (n:Task) ON (n.tenant, n.statusAt, n.id);
CREATE INDEX task_of_context IF NOT EXISTS FOR (n:Task) ON (n.tenant, n.contextId, n.statusAt, n.id);
// Only tasks that run have a lease, and only those that have ended an end of their events.
CREATE INDEX task_lease IF NOT EXISTS FOR (n:Task) ON (n.leaseUntil);
CREATE INDEX task_events_end IF NOT EXISTS FOR (n:Task) ON (n.eventsUntil);
CREATE CONSTRAINT push_config_key IF NOT EXISTS FOR (n:PushConfig) REQUIRE (n.tenant, n.taskId, n.id) IS UNIQUE;
