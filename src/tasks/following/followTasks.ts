import neo4j from 'neo4j-driver';
import { groupBy } from '../../base/groupBy.ts';
import { fixedPlan, type Queryable } from '../../graph/database/queryable.ts';
import { keyText, type TaskKey } from '../nodes/taskNodes.ts';
import { endedStates } from '../nodes/taskState.ts';

/** Where a task stands. */
export interface Standing {
  /** Written so far. */
  events: number;
  ended: boolean;
}

/** Where these tasks stand, by key; of those that are not there, nothing. */
export async function readStandings(tx: Queryable, tasks: TaskKey[]): Promise<Map<string, Standing>> {
  const { records } = await tx.run<TaskKey & Standing>(
    `${fixedPlan} UNWIND $in.tasks AS each
     MATCH (t:Task {tenant: each.tenant, id: each.id}) USING INDEX SEEK t:Task(tenant, id) WHERE t.state IS NOT NULL
     RETURN t.tenant AS tenant, t.id AS id, coalesce(t.events, 0) AS events, t.state IN $ended AS ended`,
    { ended: endedStates, in: { tasks: tasks.map(({ tenant, id }) => ({ tenant, id })) } },
  );
  return new Map(
    records.map((record) => [keyText(record.toObject()), { events: record.get('events'), ended: record.get('ended') }]),
  );
}

/** Events from a position on, up to another. */
interface Stretch extends TaskKey {
  after: number;
  to: number;
}

/** An event's number among those of its task, from 0, and its JSON text; null where the task was written as a whole. */
export interface StoredEvent {
  index: number;
  event: string | null;
}

/** The events of these stretches, each in order, by key. */
export async function readEvents(tx: Queryable, stretches: Stretch[]): Promise<Map<string, StoredEvent[]>> {
  const { records } = await tx.run<TaskKey & StoredEvent>(
    `${fixedPlan} UNWIND $in.stretches AS each
     MATCH (e:TaskEvent) USING INDEX SEEK e:TaskEvent(tenant, taskId, index)
     WHERE e.tenant = each.tenant AND e.taskId = each.id AND e.index >= each.after AND e.index < each.to
     RETURN e.tenant AS tenant, e.taskId AS id, e.index AS index, e.event AS event ORDER BY index`,
    {
      in: {
        stretches: stretches.map(({ tenant, id, after, to }) => ({
          tenant,
          id,
          after: neo4j.int(after),
          to: neo4j.int(to),
        })),
      },
    },
  );
  return groupBy(
    records.map((record) => record.toObject()),
    keyText,
  );
}
