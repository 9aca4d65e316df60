import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ConcordClient, connect } from '../../../src/client/index.ts';
import type { Task } from '../../../src/client/taskTypes.ts';
import { type AgentSkill, question, type RunningAgent, SkillError, startAgent } from '../../../src/kit/index.ts';
import { eventually } from '../../a2a/testService.ts';
import { useDatabase, useService } from '../../support/setUp.ts';
import { startSdkAgent } from './workers.ts';

const service = useService({
  AGENT_ALLOW: '127.0.0.1',
  AGENT_SECRETS_KEY: 'a secret of thirty-two characters or so',
});
const database = useDatabase();

const stopped: unknown[] = [];
let stumbles = 0;
const skill = (id: string, run: AgentSkill['run']): AgentSkill => ({
  ...{ id, name: id, description: `Does ${id}.`, tags: ['trial'], run },
});
const skills = [
  skill('echo', ({ text, data, message }) => ({ text, data, metadata: message.metadata })),
  skill('greet', ({ text, history }) => (history.length === 0 ? question('Who is it?') : `Hello, ${text}`)),
  skill('refuse', () => {
    throw new SkillError('Not on Sundays');
  }),
  skill('stumble', () => {
    stumbles += 1;
    if (stumbles < 2) throw new SkillError('Once more');
    return 'At last';
  }),
  skill('wait', ({ signal, tell }) => {
    tell('waiting');
    signal.addEventListener('abort', () => stopped.push(signal.reason));
    return new Promise(() => {});
  }),
  skill('handOn', async ({ concord, message }) => {
    const task = await concord?.delegate({ to: 'bouncer', message: 'Do you know?', for: message });
    return { asked: task?.artifacts?.[0]?.parts[0]?.data };
  }),
];

let concord: ConcordClient;
let worker: RunningAgent;
let bouncer: RunningAgent;
let sdk: Awaited<ReturnType<typeof startSdkAgent>>;
beforeAll(async () => {
  concord = await connect(service.url);
  worker = await startAgent({
    ...{ id: 'worker', name: 'Worker', description: 'Works.', skills, onError() {} },
    ...{ token: 'the-token-of-the-worker', concord: { url: service.url } },
  });
  bouncer = await startAgent({
    ...{ id: 'bouncer', name: 'Bouncer', description: 'Sends back.', concord: { url: service.url } },
    skills: [
      skill('bounce', async ({ concord: own, message }) => {
        const task = await own?.delegate({ to: 'worker', task: 'handOn', for: message });
        return { error: task && faultOf(task) };
      }),
    ],
  });
  sdk = await startSdkAgent(skills);
  await concord.agents.register({ id: 'rest', card: sdk.rest });
  await concord.agents.register({ id: 'legacy', card: sdk.legacy });
  const kernel = {
    ...{ name: 'Concord', version: '1', url: `${service.url}/a2a`, capabilities: { streaming: true } },
    skills: [{ id: 'query', name: 'Query' }],
  };
  await concord.agents.register({ id: 'kernel', card: kernel });
  await concord.agents.register({ id: 'os', url: `${service.url}/a2a/query/.well-known/agent-card.json` });
});
afterAll(async () => {
  await Promise.all([worker?.close(), bouncer?.close(), sdk?.close()]);
});

interface Fault {
  message: string;
  data: Record<string, unknown>;
}
const faultOf = ({ status }: Task) => (status.message?.parts[1]?.data as { error?: Fault } | undefined)?.error;
const saidBy = ({ status }: Task) => status.message?.parts[0]?.text;
const dataOf = ({ artifacts }: Task) => artifacts?.[0]?.parts[0]?.data as Record<string, unknown> | undefined;
const delegated = (data: object) => concord.tasks.send([{ data: { skill: 'delegate', ...data } }]);

test.each(['worker', 'rest', 'legacy'])('what the agent %s makes is made by the task here', async (to) => {
  const said = { task: 'echo', parameters: { value: 7 }, message: 'and more' };
  const task = await concord.delegate({ to, ...said, priority: 'high' });
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  const { data, text, metadata } = dataOf(task) ?? {};
  expect([data, text]).toEqual([{ value: 7 }, 'and more']);
  expect(metadata).toMatchObject({ 'concord.delegation': { hops: [to], priority: 'high' }, skill: 'echo' });
});

test.each(['kernel', 'os'])('an agent of the older protocols is asked in its own: %s', async (to) => {
  const task = await concord.delegate({ to, task: 'query', parameters: { query: '{ entities(limit: 1) { id } }' } });
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(JSON.stringify(task.artifacts)).toContain('queryMetadata');
});

test('a task is joined to its agent, and the agent to who delegates', async () => {
  const { id } = await concord.delegate({ to: 'worker', message: [{ data: { skill: 'echo' } }, { text: 'one' }] });
  const rows = await database.run<{ edge: Record<string, unknown>; caller: string }>(
    'READ',
    `MATCH (from:Agent)-[:ASKED]->(t:Task {id: $id})-[d:DELEGATED_TO]->(a:Agent {id: 'worker'})
     MATCH (from)-[c:COMMUNICATES_WITH]->(a)
     RETURN d {.state, .attempt, hasTask: d.remoteTaskId IS NOT NULL} AS edge, from.id AS caller`,
    { id },
  );
  expect(rows).toEqual([{ edge: { state: 'following', attempt: 1, hasTask: true }, caller: '' }]);
});

test('an agent is found by what it can do, and one that cannot is not asked', async () => {
  const { artifacts } = await concord.delegate({ capability: 'handOn', task: 'echo', parameters: { by: 'skill' } });
  expect(artifacts?.[0]?.parts[0]?.data).toMatchObject({ data: { by: 'skill' } });
  const none = await concord.delegate({ capability: 'levitate', message: 'up' });
  const other = await concord.delegate({ to: 'bouncer', task: 'echo' });
  const nobody = await concord.delegate({ to: 'nobody', message: 'hello' });
  expect([none, other, nobody].map((task) => faultOf(task)?.data.reason)).toEqual([
    'capability-mismatch',
    'capability-mismatch',
    'unknown-agent',
  ]);
});

test.each(['worker', 'rest'])('a question of the agent %s comes here, and the answer goes to it', async (to) => {
  const asked = await concord.delegate({ to, task: 'greet' });
  expect([asked.status.state, saidBy(asked)]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'Who is it?']);
  const { task } = await concord.tasks.send({ taskId: asked.id, parts: [{ text: 'Ann' }] });
  expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(task?.artifacts?.[0]?.parts[0]?.text).toBe('Hello, Ann');
});

test('a task that is cancelled is cancelled at the agent, also while it waits here', async () => {
  const { task } = await concord.tasks.send([{ data: { skill: 'delegate', to: 'worker', task: 'wait' } }], {
    returnImmediately: true,
  });
  const id = task?.id ?? '';
  await eventually(async () => saidBy(await concord.tasks.get(id)) === 'waiting');
  await concord.tasks.cancel(id);
  await eventually(() => stopped.length === 1);

  const { id: waiting } = await concord.delegate({ to: 'worker', task: 'greet' });
  const remote = await database.run<{ id: string }>(
    'READ',
    'MATCH (:Task {id: $waiting})-[d:DELEGATED_TO]->() RETURN d.remoteTaskId AS id',
    { waiting },
  );
  const direct = await connect(worker.url, { token: 'the-token-of-the-worker' });
  await concord.tasks.cancel(waiting);
  await eventually(async () => (await direct.tasks.get(remote[0]?.id ?? '')).status.state === 'TASK_STATE_CANCELED');
});

test('what fails at the agent fails here with its words, and is tried again as often as it was wished', async () => {
  const refused = await concord.delegate({ to: 'worker', task: 'refuse' });
  expect([refused.status.state, faultOf(refused)?.data.reason]).toEqual(['TASK_STATE_FAILED', 'agent-failed']);
  expect(saidBy(refused)).toContain('Not on Sundays');
  const retry = { max: 1, backoff: 'linear' as const };
  const tried = await concord.delegate({ to: 'worker', task: 'stumble', retry });
  expect([tried.status.state, tried.artifacts?.[0]?.parts[0]?.text]).toEqual(['TASK_STATE_COMPLETED', 'At last']);
  expect(tried.status.message?.parts[1]?.data).toMatchObject({ delegation: { agent: 'worker', attempt: 2 } });
});

test('a deadline ends the task here and at the agent', async () => {
  stopped.length = 0;
  const late = await concord.delegate({ to: 'worker', task: 'wait', deadline: new Date(Date.now() + 3_000) });
  expect(faultOf(late)?.data).toMatchObject({ reason: 'delegation-deadline', retryable: false });
  await eventually(() => stopped.length === 1);
  const over = await concord.delegate({ to: 'worker', task: 'echo', deadline: '2020-01-01T00:00:00Z' });
  expect(faultOf(over)?.data.reason).toBe('delegation-deadline');
});

test('a delegation that comes back to who has handed it on ends with an error', async () => {
  const task = await concord.delegate({ to: 'worker', task: 'handOn' });
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  const inner = dataOf(task)?.asked as { error: Fault };
  expect(inner.error.data).toMatchObject({ reason: 'delegation-loop', hops: ['worker', 'bouncer', 'worker'] });
});

test.each([
  ['neither an agent nor a capability', { message: 'x' }, 'to'],
  ['neither a message nor a task', { to: 'worker', parameters: {} }, 'message'],
  ['a part of two kinds', { to: 'worker', message: [{ text: 'x', url: 'https://x.example' }] }, 'message'],
  ['a deadline that is none', { to: 'worker', message: 'x', deadline: 'soon' }, 'deadline'],
])('%s is refused', async (_, data, path) => {
  const { task } = await delegated(data);
  expect(task?.status.state).toBe('TASK_STATE_REJECTED');
  expect((task && faultOf(task))?.data).toMatchObject({ reason: 'invalid-params' });
  expect(saidBy(task as Task)).toContain(path);
});
