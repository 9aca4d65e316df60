import type { Task } from '@a2a-js/sdk';
import neo4j from 'neo4j-driver';
import { fixedPlan, type Queryable } from '../../graph/database/queryable.ts';
import { type ArtifactNode, type MessageNode, type TaskKey, type TaskNode, taskOf } from './taskNodes.ts';

/** A task as it is, and how many events had been written of it before it was read. */
interface TaskRead {
  owner: string;
  task: Task;
  events: number;
}

interface TaskRow {
  owner: string;
  events: number;
  task: TaskNode;
  history: MessageNode[];
  artifacts: ArtifactNode[];
  [name: string]: unknown;
}

/** What makes a task of the node `t`; the count comes first, so that no event is in neither. */
const taskFields = `t {.id, .contextId, .state, .statusAt, .statusMessage, .metadata} AS task`;
const historyField = `COLLECT {
  MATCH (t)-[h:HAS_MESSAGE]->(m:Message) WITH m, h ORDER BY h.index DESC LIMIT $history
  RETURN m {.messageId, .contextId, .role, .text, .parts, .extensions, .referenceTaskIds, .metadata} ORDER BY h.index
} AS history`;
const artifactsField = `COLLECT {
  MATCH (t)-[h:HAS_ARTIFACT]->(f:Artifact)
  RETURN f {.artifactId, .name, .description, .parts, .extensions, .metadata} ORDER BY h.index
} AS artifacts`;

/** @param owner whose tasks; without one, everybody's of the tenant */
export async function readTask(
  tx: Queryable,
  { tenant, id }: TaskKey,
  owner: string | undefined,
): Promise<TaskRead | undefined> {
  const { records } = await tx.run<TaskRow>(
    `${fixedPlan} MATCH (t:Task {tenant: $tenant, id: $id}) USING INDEX SEEK t:Task(tenant, id)
     WHERE t.state IS NOT NULL AND ($owner IS NULL OR t.owner = $owner)
     WITH t, coalesce(t.events, 0) AS events
     RETURN t.owner AS owner, events, ${taskFields}, ${historyField}, ${artifactsField}`,
    { tenant, id, owner: owner ?? null, history: allMessages },
  );
  const row = records[0]?.toObject();
  return row && { owner: row.owner, events: row.events, task: taskOf(row.task, row.history, row.artifacts) };
}

const allMessages = neo4j.int(2 ** 31 - 1);

/** What a list shows. */
export interface Filter {
  tenant: string;
  owner?: string;
  contextId?: string;
  state?: string;
  /** Only what has its status since later than this, in milliseconds since 1970. */
  after?: number;
}

/** The last task of the page before. */
export interface Cursor {
  at: number;
  id: string;
}

/** A page of tasks, the newest status first, and how many there are in all. */
export async function listTasks(
  tx: Queryable,
  { tenant, owner, contextId, state, after }: Filter,
  page: { size: number; cursor?: Cursor; history?: number; artifacts: boolean },
): Promise<{ tasks: Task[]; total: number }> {
  const first = contextId !== undefined ? 'contextId' : owner !== undefined ? 'owner' : undefined;
  const index = ['tenant', ...(first ? [first] : []), 'statusAt', 'id'];
  const conditions = [
    't.tenant = $tenant',
    't.statusAt > datetime({epochMillis: $after})',
    't.id IS NOT NULL',
    ...(contextId !== undefined ? ['t.contextId = $contextId'] : []),
    ...(owner !== undefined ? ['t.owner = $owner'] : []),
    ...(state !== undefined ? ['t.state = $state'] : []),
  ].join(' AND ');
  const match = `${fixedPlan} MATCH (t:Task) USING INDEX SEEK t:Task(${index.join(', ')}) WHERE ${conditions}`;
  const { cursor } = page;
  const behind = cursor
    ? ` AND t.statusAt <= datetime({epochMillis: $at}) AND (t.statusAt < datetime({epochMillis: $at}) OR t.id < $last)`
    : '';
  const order = index.map((name) => `t.${name} DESC`).join(', ');
  const parameters = {
    tenant,
    owner: owner ?? null,
    contextId: contextId ?? null,
    state: state ?? null,
    after: neo4j.int(after ?? earliest),
    at: neo4j.int(cursor?.at ?? 0),
    last: cursor?.id ?? '',
    size: neo4j.int(page.size),
    history: page.history === undefined ? allMessages : neo4j.int(page.history),
  };
  const [total, rows] = await Promise.all([
    tx.run<{ total: number }>(`${match} RETURN count(*) AS total`, parameters),
    tx.run<TaskRow>(
      `${match}${behind} WITH t ORDER BY ${order} LIMIT $size
       RETURN ${taskFields}, ${historyField}, ${page.artifacts ? artifactsField : '[] AS artifacts'}
       ORDER BY ${order}`,
      parameters,
    ),
  ]);
  return {
    tasks: rows.records.map((record) => {
      const { task, history, artifacts } = record.toObject();
      return taskOf(task, history, artifacts);
    }),
    total: total.records[0]?.get('total') ?? 0,
  };
}

/** Of year 1: before any time that is written. */
const earliest = Date.parse('0001-01-01T00:00:00Z');
