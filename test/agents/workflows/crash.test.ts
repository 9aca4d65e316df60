import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Deferred, deferred } from '../../../src/base/deferred.ts';
import type { WorkflowStep } from '../../../src/client/agents.ts';
import { connect } from '../../../src/client/index.ts';
import { type RunningAgent, startAgent } from '../../../src/kit/index.ts';
import { type Message, messageOf, post } from '../../dialects/one/client.ts';
import { OwnService } from '../../journeys/crash/ownService.ts';
import { startReceiver } from '../../push/receiver.ts';
import { call, emptyGraph, neo4jSettings } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';
import { startOneAgent } from '../delegation/oneAgent.ts';

/** How many steps the workflow has; at each its replica is killed. `STEPS=10 npm test -- FILE` is the long form. */
const steps = Number(process.env.STEPS ?? 4);

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
  service = await OwnService.start({ ...neo4jSettings, AGENT_ALLOW: '127.0.0.1', PUSH_ALLOW: '127.0.0.1' });
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

/** As if the time of all leases were over. */
const endLeases = () =>
  database.run(
    'WRITE',
    'MATCH (t:Task) WHERE t.leaseUntil IS NOT NULL SET t.leaseUntil = datetime() - duration("PT1S")',
  );

test('a workflow whose replica is killed at each of its steps does each of them once', async () => {
  const names = Array.from({ length: steps }, (_, n) => `s${n}`);
  const planned = names.map((step, n): WorkflowStep => {
    const after = n === 0 ? {} : { after: { $result: names[n - 1] ?? '', pointer: '/step' } };
    return { id: step, agent: 'worker', task: 'work', parameters: { step, ...after } };
  });
  const scout = await connect(service.url, { agentId: 'scout' });
  const { id } = await scout.coordinate({ steps: planned }, { returnImmediately: true });
  const edge = `MATCH (:Task {id: $id})<-[:PART_OF {step: $step}]-(t:Task)-[d:DELEGATED_TO]->() RETURN d.state AS state`;
  for (const [n, step] of names.entries()) {
    await until(() => asked.includes(step));
    // Every other time the answer of the agent has come, and is known.
    const isKnown = async () => (await database.run<{ state: string }>('READ', edge, { id, step }))[0]?.state;
    if (n % 2 === 1) await until(async () => (await isKnown()) === 'following');
    service.kill();
    gate(step).resolve();
    await endLeases();
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
  expect(results).toEqual({ [`s${steps - 1}`]: { step: `s${steps - 1}`, after: `s${steps - 2}` } });
});

test('a delegation of ONE goes on though its replica is killed, and its callback is called though the next one is too', async () => {
  const [painter, receiver] = await Promise.all([startOneAgent('painter', ['paint'], {}), startReceiver()]);
  const own = { groupId: undefined };
  try {
    await until(async () => (await fetch(`${service.url}/readyz`).catch(() => undefined))?.ok === true);
    await call(service.url, 'agents/register', { id: 'painter', card: painter.card });
    receiver.answer = (response) => response.writeHead(503).end();
    const content = { task: 'paint', parameters: {}, callback: `${receiver.url}/hook` };
    const { body } = await post(service.url, messageOf('task_delegation', content, { to: { agentId: 'painter' } }));
    const { taskId } = body.message.content;
    await until(() => painter.got.length > 0);
    service.kill();
    await endLeases();
    // Its answer comes to whichever replica there is.
    const said = painter.saying(painter.got[0] as Message, 'task_result', { status: 'completed', result: 'Red' }, own);
    await until(async () => (await post(service.url, said).catch(() => undefined))?.status === 200);
    const stateOf = 'MATCH (t:Task {id: $taskId}) RETURN t.state AS state';
    await until(
      async () => (await database.run<{ state: string }>('READ', stateOf, { taskId }))[0]?.state === 'COMPLETED',
    );
    expect(new Set(painter.got.map(({ messageId }) => messageId)).size).toBe(1);
    await until(() => receiver.received.length > 0);
    // By the replica that has ended it, and not by who looks after a while for what is owed.
    const tries = 'MATCH (c:PushConfig {taskId: $taskId}) RETURN c.tries AS tries';
    expect(await database.run('READ', tries, { taskId })).toEqual([{ tries: null }]);
    service.kill();
    // As if all of it had been two minutes ago.
    await database.run(
      'WRITE',
      `MATCH (t:Task {id: $taskId})-[:NOTIFIES]->(c)
       SET t.statusAt = t.statusAt - duration("PT2M"), c.owedAt = c.owedAt - duration("PT2M")`,
      { taskId },
    );
    receiver.answer = (response) => response.end();
    const owed = 'MATCH (c:PushConfig {taskId: $taskId}) RETURN c.owedAt AS owedAt';
    await until(async () => (await database.run<{ owedAt: unknown }>('READ', owed, { taskId }))[0]?.owedAt === null);
    const told = receiver.received.map((each) => JSON.parse(each.body) as Message);
    expect(told.at(-1)?.message).toMatchObject({ type: 'task_result', content: { taskId, result: 'Red' } });
    expect(new Set(told.map(({ messageId }) => messageId)).size).toBe(1);
  } finally {
    await Promise.all([painter.close(), receiver.close()]);
  }
});
