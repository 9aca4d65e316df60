import neo4j from 'neo4j-driver';
import type { Database } from '../../../graph/database/database.ts';
import { fixedPlan, type Queryable } from '../../../graph/database/queryable.ts';
import { letGo } from '../../../graph/leases/leases.ts';
import type { KeptPrincipal } from '../../../security/keptPrincipal.ts';
import type { TaskKey } from '../../../tasks/nodes/taskNodes.ts';
import { endedStates } from '../../../tasks/nodes/taskState.ts';
import type { RunKey } from '../plan/course.ts';
import type { Step } from '../plan/plan.ts';

/** What is kept of a workflow beside its task and those of its steps, from its begin on. */
export interface KeptWorkflow {
  steps: Step[];
  /** What the ids of its steps' tasks are made of: nobody can guess them. */
  seed: string;
  /** Milliseconds since 1970. */
  deadline: number;
  /** Who has asked for it. */
  maker: KeptPrincipal;
  /** Of a template, which. */
  template?: { name: string; version: number };
}

/** A task of a step that is begun, and the tasks that it comes after. */
export interface NewRun extends RunKey {
  taskId: string;
  after: string[];
  /** Characters of what it is begun with. */
  length: number;
}

/** A task of a step as it was read. */
export interface RunRow extends RunKey {
  taskId: string;
  /** As it stands on the node; null where it is about to be begun. */
  state: string | null;
  /** Milliseconds since 1970; null as the state is. */
  at: number | null;
  /** JSON text of the message of its status, of one that has not completed. */
  said: string | null;
  /** Characters of what it was begun with; of one that has ended, of all messages and artifacts that it has. */
  length: number;
}

/** What a task has made. */
export interface MadeRow {
  taskId: string;
  /** Characters of all parts. */
  length: number;
  /** JSON text of the parts of each artifact, in order; empty where all together are longer than was asked for. */
  artifacts: string[];
  /** JSON text of the message of its status. */
  said: string | null;
}

const timeoutMs = 10_000;
const workflowNode = `MATCH (w:Task {tenant: $tenant, id: $id}) USING INDEX SEEK w:Task(tenant, id)`;
const runFields = `p.step AS step, p.item AS item, p.attempt AS attempt, t.id AS taskId, t.state AS state,
  t.statusAt.epochMillis AS at, CASE WHEN t.state <> 'COMPLETED' THEN t.statusMessage END AS said,
  CASE WHEN t.state IN $in.ended
    THEN reduce(sum = 0, size IN COLLECT { MATCH (t)-[:HAS_MESSAGE|HAS_ARTIFACT]->(m) RETURN size(m.parts) }
      | sum + size)
    ELSE coalesce(p.length, 0) END AS length`;

/** Workflows as tasks: `(:Task)-[:PART_OF]->(:Task)` from each step's, `(:Task)-[:DEPENDS_ON]->(:Task)` between them. */
export class Workflows {
  constructor(private readonly database: Database) {}

  /** Keeps a workflow with its task, which must be there. */
  async keep({ tenant, id }: TaskKey, kept: KeptWorkflow): Promise<void> {
    await this.database.write(
      async (tx) =>
        await tx.run(`${fixedPlan} ${workflowNode} SET w.updatedAt = datetime(), w.workflow = $workflow`, {
          ...{ tenant, id, workflow: JSON.stringify(kept) },
        }),
      timeoutMs,
    );
  }

  /** What is kept of a workflow; undefined where it was not begun. */
  async find({ tenant, id }: TaskKey): Promise<KeptWorkflow | undefined> {
    const { records } = await this.database.read(
      async (tx) =>
        await tx.run<{ workflow: string | null }>(`${fixedPlan} ${workflowNode} RETURN w.workflow AS workflow`, {
          ...{ tenant, id },
        }),
      timeoutMs,
    );
    const text = records[0]?.get('workflow');
    return text ? JSON.parse(text) : undefined;
  }

  /** The tasks of its steps that there are. */
  async runs({ tenant, id }: TaskKey): Promise<RunRow[]> {
    return this.readRuns(`${workflowNode} MATCH (w)<-[p:PART_OF]-(t:Task) RETURN ${runFields}`, {
      ...{ tenant, id, in: { ended: endedStates } },
    });
  }

  /** How these tasks of its steps stand; one that is not there is left out. */
  async standings({ tenant, id }: TaskKey, taskIds: string[]): Promise<RunRow[]> {
    const query = `UNWIND $in.ids AS each MATCH (t:Task {tenant: $tenant, id: each}) USING INDEX SEEK t:Task(tenant, id)
      MATCH (t)-[p:PART_OF]->(w:Task) WHERE w.id = $id RETURN ${runFields}`;
    return this.readRuns(query, { tenant, id, in: { ids: taskIds, ended: endedStates } });
  }

  /** What these tasks have made, where that is not more than so many characters together. */
  async made(tenant: string, taskIds: string[], longest: number): Promise<MadeRow[]> {
    const { records } = await this.database.read(
      async (tx) =>
        await tx.run<MadeRow & Record<string, unknown>>(
          `${fixedPlan} UNWIND $in.ids AS each
           MATCH (t:Task {tenant: $tenant, id: each}) USING INDEX SEEK t:Task(tenant, id)
           CALL (t) {
             OPTIONAL MATCH (t)-[:HAS_ARTIFACT]->(f:Artifact)
             RETURN sum(size(f.parts)) AS length
           }
           WITH collect({t: t, length: length}) AS rows, sum(length) AS total
           UNWIND rows AS row
           WITH row.t AS t, row.length AS length, total
           CALL (t, total) {
             MATCH (t)-[h:HAS_ARTIFACT]->(f:Artifact) WHERE total <= $longest
             WITH f ORDER BY h.index
             RETURN collect(f.parts) AS artifacts
           }
           RETURN t.id AS taskId, length, artifacts, t.statusMessage AS said`,
          { tenant, longest: neo4j.int(longest), in: { ids: taskIds } },
        ),
      timeoutMs,
    );
    return records.map((record) => record.toObject());
  }

  /** Joins tasks that are about to begin to their workflow, and to those that they come after. */
  async join(tx: Queryable, { tenant, id }: TaskKey, runs: readonly NewRun[]): Promise<void> {
    await tx.run(
      `${fixedPlan} ${workflowNode}
       SET w.updatedAt = w.updatedAt
       WITH w UNWIND $in.runs AS each
       MATCH (t:Task {tenant: $tenant, id: each.taskId}) USING INDEX SEEK t:Task(tenant, id)
       MERGE (t)-[p:PART_OF]->(w)
       SET p.step = each.step, p.item = each.item, p.attempt = each.attempt, p.length = each.length
       WITH t, each UNWIND each.after AS before
       MATCH (b:Task {tenant: $tenant, id: before}) USING INDEX SEEK b:Task(tenant, id)
       MERGE (t)-[:DEPENDS_ON]->(b)`,
      {
        ...{ tenant, id },
        in: {
          runs: runs.map(({ item, attempt, length, ...run }) => ({
            ...run,
            length: neo4j.int(length),
            item: neo4j.int(item),
            attempt: neo4j.int(attempt),
          })),
        },
      },
    );
  }

  /** Lets another replica take up the workflow at once. */
  async leave({ tenant, id }: TaskKey): Promise<void> {
    await this.database.write((tx) => letGo(tx, 'Task', { tenant, id }), timeoutMs);
  }

  private async readRuns(query: string, parameters: Record<string, unknown>): Promise<RunRow[]> {
    const { records } = await this.database.read(
      async (tx) => await tx.run<RunRow & Record<string, unknown>>(`${fixedPlan} ${query}`, parameters),
      timeoutMs,
    );
    return records.map((record) => record.toObject());
  }
}
