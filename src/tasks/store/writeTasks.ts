import { fixedPlan, type Queryable } from '../../graph/database/queryable.ts';
import { duration } from '../../graph/statements/values.ts';
import { keyText, type TaskKey } from '../nodes/taskNodes.ts';
import { endedStates } from '../nodes/taskState.ts';
import type { Delta } from './draft.ts';

export interface WriteOptions {
  /** How long a task stays the replica's that runs it, unless that renews it. */
  leaseMs: number;
  /** How long the events of a task that has ended are kept. */
  eventsKeptMs: number;
  /**
   * Known anew for each write: the driver may run one twice. What is written after it in its transaction has one that
   * begins with it.
   */
  writeId: string;
}

/** What a write came to. */
export interface WrittenTasks {
  /** The keys, as text, of tasks that had ended before. */
  over: Set<string>;
  /** The keys of those whose id was not free. */
  taken: Set<string>;
  /** How many want to be told of each task's events, by its key as text. */
  receivers: Map<string, number>;
}

/** Each Task node is locked first, by the SET of `updatedAt`. */
const mergeTasks = `${fixedPlan} UNWIND $in.tasks AS each
 MERGE (a:Agent {tenant: each.tenant, id: each.owner})
 MERGE (t:Task {tenant: each.tenant, id: each.id})
 SET t.updatedAt = datetime()
 WITH a, t, each, t.state IS NULL AS isNew, coalesce(t.state IN $ended, false) AS over,
   coalesce(t.writeId STARTS WITH $writeId, false) AS again,
   coalesce(t.messages, 0) AS messages, coalesce(t.artifacts, 0) AS artifacts, coalesce(t.events, 0) AS events
 WITH a, t, each, isNew, over, again, messages, artifacts, events,
   each.guess AND NOT again AND (NOT isNew OR t.owner IS NOT NULL OR EXISTS { (t)-[:MADE]->() }) AS taken
 WITH a, t, each, isNew, over, again, taken, messages, artifacts, events,
   CASE WHEN again OR taken THEN [] ELSE [each] END AS news,
   CASE WHEN again OR taken OR over OR each.status IS NULL THEN [] ELSE [each.status] END AS statuses,
   CASE WHEN again OR taken OR over OR isNew AND each.status.ended THEN [] ELSE each.events END AS newEvents
 FOREACH (_ IN CASE WHEN isNew THEN news ELSE [] END |
   SET t += each.created
   CREATE (a)-[:ASKED]->(t))
 FOREACH (status IN statuses |
   SET t += status.properties,
     t.states = coalesce(t.states, []) + status.states,
     t.stateTimes = coalesce(t.stateTimes, []) + status.stateTimes,
     t.replica = CASE WHEN status.resting THEN null ELSE coalesce(each.replica, t.replica) END,
     t.leaseUntil = CASE WHEN status.resting THEN null WHEN each.replica IS NULL THEN t.leaseUntil ELSE datetime() + $lease END,
     t.cancelAskedAt = CASE WHEN status.ended THEN null ELSE t.cancelAskedAt END,
     t.eventsUntil = CASE WHEN status.ended AND NOT isNew THEN datetime() + $eventsKept END)
 FOREACH (_ IN news |
   SET t.writeId = $writeId, t.messages = messages + size(each.messages), t.artifacts = artifacts + size(each.artifacts),
     t.events = events + size(newEvents))
 FOREACH (new IN CASE WHEN size(news) = 0 THEN [] ELSE each.messages END |
   MERGE (m:Message {tenant: each.tenant, taskId: each.id, key: new.key})
   ON CREATE SET m.messageId = new.messageId, m.contextId = new.contextId, m.role = new.role, m.text = new.text, m.parts = new.parts,
     m.extensions = new.extensions, m.referenceTaskIds = new.referenceTaskIds, m.metadata = new.metadata
   MERGE (t)-[h:HAS_MESSAGE]->(m) ON CREATE SET h.index = messages + new.offset)
 FOREACH (new IN CASE WHEN size(news) = 0 THEN [] ELSE each.artifacts END |
   MERGE (f:Artifact {tenant: each.tenant, taskId: each.id, artifactId: new.artifactId})
   SET f.name = new.name, f.description = new.description, f.parts = new.parts, f.extensions = new.extensions,
     f.metadata = new.metadata
   MERGE (t)-[h:HAS_ARTIFACT]->(f) ON CREATE SET h.index = artifacts + new.offset)
 FOREACH (new IN newEvents |
   CREATE (t)-[:HAS_EVENT]->(:TaskEvent {tenant: each.tenant, taskId: each.id, index: events + new.offset, event: new.event}))
 RETURN each.tenant AS tenant, each.id AS id, over AND NOT again AS over, taken,
   CASE WHEN taken THEN 0 ELSE COUNT { (t)-[:NOTIFIES]->() } END AS receivers`;

/**
 * Writes what is new of tasks, by key. Each Task node is locked first, so that what several replicas write of one task
 * is merged: messages and artifacts by their ids, events in the order of the transactions, and a state that has ended
 * stays. A task that is new and has ended already has no events, for nobody can have followed it.
 */
export async function writeTasks(
  tx: Queryable,
  deltas: Delta[],
  { leaseMs, eventsKeptMs, writeId }: WriteOptions,
): Promise<WrittenTasks> {
  // In one order everywhere, so that two replicas don't wait for one another.
  const tasks = deltas.toSorted((one, other) => (keyText(one) < keyText(other) ? -1 : 1));
  const { records } = await tx.run<TaskKey & { over: boolean; taken: boolean; receivers: number }>(mergeTasks, {
    ended: endedStates,
    writeId,
    lease: duration(leaseMs),
    eventsKept: duration(eventsKeptMs),
    in: { tasks },
  });
  const rows = records.map((record) => record.toObject());
  return {
    over: new Set(rows.filter(({ over }) => over).map(keyText)),
    taken: new Set(rows.filter(({ taken }) => taken).map(keyText)),
    receivers: new Map(rows.map((row) => [keyText(row), row.receivers])),
  };
}
