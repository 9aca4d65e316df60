import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowStep } from '../../../src/client/agents.ts';
import type { Database } from '../../../src/graph/database/database.ts';
import { type RunningAgent, startAgent } from '../../../src/kit/index.ts';
import type { Tenant } from './tenant.ts';

/** A worker of a tenant, and somebody who has it work, in workflows of two steps of which the second needs the first. */
export class Workflows {
  /** By the task that was acknowledged: the name of the workflow. */
  private readonly begun = new Map<string, string>();
  private readonly asked: string[] = [];

  private constructor(
    private readonly tenant: Tenant,
    private worker: RunningAgent | undefined,
  ) {}

  /** Registers a worker as the agent `worker`. @param url where Concord is */
  static async start(tenant: Tenant, url: string): Promise<Workflows> {
    const workflows = new Workflows(tenant, undefined);
    workflows.worker = await startAgent({
      ...{ id: 'worker', name: 'Worker', description: 'Works.' },
      concord: { url, headers: tenant.headers('worker'), retry: { attempts: 100, baseMs: 50, maxMs: 500 } },
      skills: [
        {
          ...{ id: 'work', name: 'Work', description: 'Says what it was told.', tags: [] },
          async run({ data }) {
            workflows.asked.push(String(data.name));
            return { name: data.name, after: data.after ?? null };
          },
        },
      ],
    });
    return workflows;
  }

  /** Begins one after another until it is over. */
  async run(agent: string, isOver: () => boolean, pauseMs: number): Promise<void> {
    const client = await this.tenant.client(agent);
    for (let turn = 0; !isOver(); turn++) {
      const name = `${this.tenant.name} ${turn}`;
      const steps: WorkflowStep[] = [
        { id: 'a', agent: 'worker', task: 'work', parameters: { name: `${name} a` } },
        {
          ...{ id: 'b', agent: 'worker', task: 'work' },
          parameters: { name: `${name} b`, after: { $result: 'a', pointer: '/name' } },
        },
      ];
      // Who is told nothing of it doesn't know whether it has begun.
      const begun = await client.coordinate({ steps }, { returnImmediately: true }).catch(() => undefined);
      if (begun) this.begun.set(begun.id, name);
      await sleep(pauseMs);
    }
  }

  get count(): number {
    return this.begun.size;
  }

  /** What became of those that were acknowledged; nobody begins any more. */
  async faults(database: Database): Promise<string[]> {
    const rows = await database.run<{ id: string; state: string; parts: string | null }>(
      'READ',
      `UNWIND $ids AS id OPTIONAL MATCH (t:Task {id: id})
       OPTIONAL MATCH (t)-[:HAS_ARTIFACT]->(f:Artifact {name: 'workflow'})
       RETURN id, t.state AS state, f.parts AS parts`,
      { ids: [...this.begun.keys()] },
    );
    return rows.flatMap(({ id, state, parts }) => {
      const name = this.begun.get(id) ?? '';
      if (state !== 'COMPLETED') return [`workflow ${name} (${id}) is ${state}: ${parts}`];
      const [part] = JSON.parse(parts ?? '[]');
      const { b } = part?.data.results ?? {};
      const asked = ['a', 'b'].map((step) => this.asked.filter((each) => each === `${name} ${step}`).length);
      const isRight = b?.name === `${name} b` && b?.after === `${name} a` && asked.join() === '1,1';
      return isRight ? [] : [`workflow ${name} came to ${parts}; its steps were asked for ${asked} times`];
    });
  }

  async close(): Promise<void> {
    await this.worker?.close();
  }
}
