import neo4j from 'neo4j-driver';
import { fixedPlan, type Queryable } from '../../graph/database/queryable.ts';
import { keyText, type TaskKey } from '../nodes/taskNodes.ts';
import { endedStates } from '../nodes/taskState.ts';

/** What became of the wish to cancel a task: it has ended, the replica that runs it was told, or it doesn't run. */
type CancelAsked = 'ended' | 'told' | 'idle';

/** Asks whoever runs the task to cancel it. */
export async function askToCancel(tx: Queryable, { tenant, id }: TaskKey): Promise<CancelAsked> {
  const { records } = await tx.run<{ outcome: CancelAsked }>(
    `${fixedPlan} MATCH (t:Task {tenant: $tenant, id: $id}) USING INDEX SEEK t:Task(tenant, id) WHERE t.state IS NOT NULL
     SET t.updatedAt = datetime()
     WITH t, CASE WHEN t.state IN $ended THEN 'ended' WHEN t.leaseUntil >= datetime() THEN 'told' ELSE 'idle' END AS outcome
     SET t.cancelAskedAt = CASE outcome WHEN 'told' THEN datetime() ELSE t.cancelAskedAt END
     RETURN outcome`,
    { tenant, id, ended: endedStates },
  );
  return records[0]?.get('outcome') ?? 'ended';
}

/** Those of these tasks, by key, of which somebody asked that they be cancelled. */
export async function readCancelAsked(tx: Queryable, tasks: TaskKey[]): Promise<Set<string>> {
  const { records } = await tx.run<TaskKey & Record<string, string>>(
    `${fixedPlan} UNWIND $in.tasks AS each
     MATCH (t:Task {tenant: each.tenant, id: each.id}) USING INDEX SEEK t:Task(tenant, id) WHERE t.cancelAskedAt IS NOT NULL
     RETURN t.tenant AS tenant, t.id AS id`,
    { in: { tasks: keysOf(tasks) } },
  );
  return new Set(records.map((record) => keyText(record.toObject())));
}

/**
 * Removes events of tasks that ended long enough ago, those of the longest ended first.
 * @param most tasks and events of one transaction; what is left of a task has its turn in the next
 * @returns whether there may be more
 */
export async function removeOldEvents(tx: Queryable, most: { tasks: number; events: number }): Promise<boolean> {
  const { records } = await tx.run<{ tasks: number; removed: number }>(
    `${fixedPlan} MATCH (t:Task) USING INDEX SEEK t:Task(eventsUntil) WHERE t.eventsUntil < datetime()
     WITH t ORDER BY t.eventsUntil LIMIT $tasks
     SET t.updatedAt = t.updatedAt
     WITH collect(t) AS tasks
     CALL (tasks) {
       UNWIND tasks AS t MATCH (t)-[:HAS_EVENT]->(e:TaskEvent)
       WITH e LIMIT $events
       DETACH DELETE e
       RETURN count(*) AS removed
     }
     FOREACH (t IN CASE WHEN removed < $events THEN tasks ELSE [] END | SET t.eventsUntil = null)
     RETURN size(tasks) AS tasks, removed`,
    { tasks: neo4j.int(most.tasks), events: neo4j.int(most.events) },
  );
  const { tasks = 0, removed = 0 } = records[0]?.toObject() ?? {};
  return tasks === most.tasks || removed === most.events;
}

const keysOf = (tasks: TaskKey[]) => tasks.map(({ tenant, id }) => ({ tenant, id }));
