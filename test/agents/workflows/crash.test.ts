import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Deferred, deferred } from '../../../src/base/deferred.ts';
import type { WorkflowStep } from '../../../src/client/agents.ts';
import { connect } from '../../../src/client/index.ts';
import { type RunningAgent, startAgent } from '../../../src/kit/index.ts';
import { OwnService } from '../../journeys/crash/ownService.ts';
import { emptyGraph, neo4jSettings } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';

const database = useDatabase();
/** What the worker was asked, in order. */
const asked: string[] = [];
/** Of each step, what lets it end. */
const gates = new Map<string, Deferred<void>>();
const gate = (step: string) => {
  const known = gates.get(step) ?? deferred<void>();
  gates.set(step, known);
  return known;
};

let service: OwnService;
let worker: RunningAgent;
beforeAll(async () => {
  await emptyGraph();
  service = await OwnService.start({ ...neo4jSettings, AGENT_ALLOW: '127.0.0.1' });
  await until(async () => (await fetch(`${service.url}/readyz`).catch(() => undefined))?.ok === true);
  worker = await startAgent({
    ...{ id: 'worker', name: 'Worker', description: 'Works.', concord: { url: service.url } },
    skills: [
      {
        ...{ id: 'work', name: 'Work', description: 'Works until it is let go.', tags: [] },
        async run({ data }) {
          const step = String(data.step);
          asked.push(step);
          await gate(step).promise;
          return { step, after: data.after ?? null };
        },
      },
    ],
  });
});
afterAll(async () => {
  await worker?.close();
  await service?.close();
});

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + 300_000; !(await condition()); ) {
    if (Date.now() > end) throw new Error('It did not come about');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('a workflow whose replica is killed at each of its steps does each of them once', async () => {
  const names = Array.from({ length: 10 }, (_, n) => `s${n}`);
  const steps = names.map((step, n): WorkflowStep => {
    const after = n === 0 ? {} : { after: { $result: names[n - 1] ?? '', pointer: '/step' } };
    return { id: step, agent: 'worker', task: 'work', parameters: { step, ...after } };
  });
  const scout = await connect(service.url, { agentId: 'scout' });
  const { id } = await scout.coordinate({ steps }, { returnImmediately: true });
  const edge = `MATCH (:Task {id: $id})<-[:PART_OF {step: $step}]-(t:Task)-[d:DELEGATED_TO]->() RETURN d.state AS state`;
  for (const [n, step] of names.entries()) {
    await until(() => asked.includes(step));
    // Every other time the answer of the agent has come, and is known.
    const isKnown = async () => (await database.run<{ state: string }>('READ', edge, { id, step }))[0]?.state;
    if (n % 2 === 1) await until(async () => (await isKnown()) === 'following');
    service.kill();
    gate(step).resolve();
    // As if the time of its leases were over.
    await database.run(
      'WRITE',
      'MATCH (t:Task) WHERE t.leaseUntil IS NOT NULL SET t.leaseUntil = datetime() - duration("PT1S")',
    );
  }
  const read = `MATCH (w:Task {id: $id})-[:HAS_ARTIFACT]->(f:Artifact {name: 'workflow'}) RETURN w.state AS state, f.parts AS parts`;
  const ended = () => database.run<{ state: string; parts: string }>('READ', read, { id });
  await until(async () => (await ended()).length > 0);
  expect(asked).toEqual(names);
  const [row] = await ended();
  expect(row?.state).toBe('COMPLETED');
  const { steps: told, results } = JSON.parse(row?.parts ?? '[]')[0].data;
  expect(told.map(({ state, attempts }: { state: string; attempts: number }) => [state, attempts])).toEqual(
    names.map(() => ['completed', expect.any(Number)]),
  );
  expect(results).toEqual({ s9: { step: 's9', after: 's8' } });
});
