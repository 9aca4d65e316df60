import neo4j from 'neo4j-driver';
import type { Database } from '../../graph/database/database.ts';
import { fixedPlan, type Queryable } from '../../graph/database/queryable.ts';
import { Sweep } from '../../graph/database/sweep.ts';
import { dateTime } from '../../graph/statements/values.ts';
import type { TaskKey } from '../nodes/taskNodes.ts';
import { endedStates } from '../nodes/taskState.ts';

interface TaskSweepParts {
  /** How long a task is kept after its end, in milliseconds. */
  keptMs: number;
  /** Milliseconds since 1970. */
  now(): number;
  onError(error: unknown): void;
}

/** Tasks and, beside them, nodes of one transaction. */
const batch = { tasks: 100, nodes: 1_000 };

/** Removes tasks that ended long enough ago. DESIGN, "Tasks". */
export function taskSweep(database: Database, { keptMs, now, onError }: TaskSweepParts): Sweep {
  return new Sweep({ database, step: (tx) => removeOldTasks(tx, now() - keptMs), onError });
}

/**
 * Removes some of the tasks that ended before a time, with what was said and made in them and who is told of them. Of a
 * task that made an update the bare node stays, for provenance leads to it: who asked, and when. Those of a workflow's
 * steps stay until it has ended, which goes by them.
 * @param before milliseconds since 1970
 * @returns whether there may be more
 */
async function removeOldTasks(tx: Queryable, before: number): Promise<boolean> {
  const { records } = await tx.run<TaskKey & Record<string, string>>(
    `${fixedPlan} UNWIND $in.ended AS state
     MATCH (t:Task) USING INDEX SEEK t:Task(state, statusAt) WHERE t.state = state AND t.statusAt < $before
       AND NOT EXISTS { (t)-[:PART_OF]->(w:Task) WHERE NOT w.state IN $in.ended }
     RETURN t.tenant AS tenant, t.id AS id LIMIT $limit`,
    { in: { ended: endedStates }, before: dateTime(before), limit: neo4j.int(batch.tasks) },
  );
  const tasks = records.map((record) => record.toObject());
  if (tasks.length === 0) return false;
  const removed = await removeParts(tx, tasks);
  // What is left of them has its turn in the next transaction.
  if (removed === batch.nodes) return true;
  await tx.run(
    `${fixedPlan} UNWIND $in.tasks AS each
     MATCH (t:Task {tenant: each.tenant, id: each.id}) USING INDEX SEEK t:Task(tenant, id)
     CALL (t) {
       WITH t WHERE EXISTS { (t)-[:MADE]->() }
       SET t = {tenant: t.tenant, id: t.id, owner: t.owner, contextId: t.contextId, createdAt: t.createdAt}
     }
     CALL (t) {
       WITH t WHERE NOT EXISTS { (t)-[:MADE]->() }
       DETACH DELETE t
     }`,
    { in: { tasks } },
  );
  return tasks.length === batch.tasks;
}

/** @returns how many nodes, at most so many as a transaction may remove */
async function removeParts(tx: Queryable, tasks: TaskKey[]): Promise<number> {
  const { records } = await tx.run<{ removed: number }>(
    `${fixedPlan} UNWIND $in.tasks AS each
     MATCH (t:Task {tenant: each.tenant, id: each.id}) USING INDEX SEEK t:Task(tenant, id)
     SET t.updatedAt = t.updatedAt
     WITH t
     MATCH (t)-[:HAS_MESSAGE|HAS_ARTIFACT|HAS_EVENT|NOTIFIES]->(n)
     WITH n LIMIT $limit
     DETACH DELETE n
     RETURN count(*) AS removed`,
    { in: { tasks }, limit: neo4j.int(batch.nodes) },
  );
  return records[0]?.get('removed') ?? 0;
}
