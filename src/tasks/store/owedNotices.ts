import type { Task } from '@a2a-js/sdk';
import neo4j from 'neo4j-driver';
import { fixedPlan, type Queryable } from '../../graph/database/queryable.ts';
import { dateTime, duration } from '../../graph/statements/values.ts';
import type { TaskKey } from '../nodes/taskNodes.ts';
import { endedStates, isEnded } from '../nodes/taskState.ts';
import { stateSince } from './draft.ts';

/*
 * Receivers that are to be told how a task comes to rest though the replica that tells them dies: such a configuration
 * has `owedAt`, when it is looked at next, from its begin until its receiver has heard of the task's end. `toldAt` is the
 * time of the status that it has heard of last.
 */

/** A receiver that was not told how its task rests. */
export interface OwedNotice extends TaskKey {
  configId: string;
}

/** How long one is left alone before it is looked at, and how long its task rests before: by then it was told, if ever. */
export const owedMs = 60_000;
/** How often it is sent again; the waits double. */
const mostTries = 6;

/**
 * Takes some of those that were not told in time, the longest overdue first. Of several replicas one gets each. One that
 * was sent often enough is given up.
 */
export async function takeOwed(tx: Queryable, limit: number): Promise<OwedNotice[]> {
  const { records } = await tx.run<OwedNotice & Record<string, string>>(
    `${fixedPlan} MATCH (c:PushConfig) USING INDEX SEEK c:PushConfig(owedAt) WHERE c.owedAt < datetime()
     WITH c ORDER BY c.owedAt LIMIT $limit
     SET c.lookedAt = datetime()
     WITH c WHERE c.owedAt < datetime()
     OPTIONAL MATCH (t:Task {tenant: c.tenant, id: c.taskId}) USING INDEX SEEK t:Task(tenant, id)
     WITH c, coalesce(c.tries, 0) AS tries, coalesce(t.state IN $in.ended, false) AS isOver,
       coalesce(t.state IN $in.resting AND t.statusAt > coalesce(c.toldAt, datetime({epochMillis: 0})), false) AS isUntold,
       coalesce(t.statusAt < datetime() - $wait, true) AS isLong
     WITH c, tries, isUntold AND isLong AS isOwed, isOver AND NOT isUntold AS isDone
     SET c.tries = CASE WHEN isOwed THEN tries + 1 ELSE tries END,
       c.owedAt = CASE WHEN isDone OR isOwed AND tries >= $most THEN null
         ELSE datetime() + CASE WHEN isOwed THEN $wait * 2 ^ tries ELSE $wait END END
     WITH c WHERE isOwed AND tries < $most
     RETURN c.tenant AS tenant, c.taskId AS id, c.id AS configId`,
    {
      ...{ limit: neo4j.int(limit), most: neo4j.int(mostTries), wait: duration(owedMs) },
      in: { ended: endedStates, resting: [...endedStates, 'INPUT_REQUIRED'] },
    },
  );
  return records.map((record) => record.toObject());
}

/** Keeps that a receiver has heard how a task rests; once that is its end, nothing more is owed. */
export async function wasTold(
  tx: Queryable,
  { tenant, id, configId }: OwedNotice,
  task: Pick<Task, 'status'>,
): Promise<void> {
  const { state, at } = stateSince(task as Task, 0);
  await tx.run(
    `${fixedPlan} MATCH (c:PushConfig {tenant: $tenant, taskId: $id, id: $configId})
       USING INDEX SEEK c:PushConfig(tenant, taskId, id)
     SET c.toldAt = $at, c.tries = null, c.owedAt = CASE WHEN $isOver THEN null ELSE c.owedAt END`,
    { tenant, id, configId, at: dateTime(at), isOver: isEnded(state) },
  );
}
