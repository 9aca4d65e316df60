import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type ConcordClient, connect } from '../../../src/client/index.ts';
import type { Part, Task } from '../../../src/client/taskTypes.ts';
import { type AgentSkill, question, type RunningAgent, SkillError, startAgent } from '../../../src/kit/index.ts';
import { eventually } from '../../a2a/testService.ts';
import { useDatabase, useService } from '../../support/setUp.ts';
import { startSdkAgent } from '../delegation/workers.ts';

const service = useService({
  AGENT_ALLOW: '127.0.0.1',
  AGENT_TRUST: 'rumour=0.2',
  WORKFLOW_STEPS_AT_ONCE: '4',
  WORKFLOW_MAX_RESULT_BYTES: '20000',
});
const database = useDatabase();

const done: string[] = [];
const stopped: string[] = [];
let atOnce = 0;
let mostAtOnce = 0;
const skill = (id: string, run: AgentSkill['run']): AgentSkill => ({
  ...{ id, name: id, description: `Does ${id}.`, tags: ['trial'], run },
});
const skills = [
  skill('echo', ({ data }) => {
    done.push(String(data.name));
    return data;
  }),
  skill('slow', async ({ data }) => {
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    await new Promise((resolve) => setTimeout(resolve, 30));
    atOnce -= 1;
    return data;
  }),
  skill('list', () => ({ entries: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] })),
  skill('refuse', () => {
    throw new SkillError('Not on Sundays');
  }),
  skill('greet', ({ text, history }) => (history.length === 0 ? question('Who is it?') : `Hello, ${text}`)),
  skill('handOn', async ({ concord: own, message }) => {
    const steps = [{ id: 'back', agent: 'worker', task: 'echo', parameters: {} }];
    const task = await own?.coordinate({ steps, for: message });
    return { faults: task && faultOf(task)?.faults };
  }),
  skill('wait', ({ signal, data }) => {
    signal.addEventListener('abort', () => stopped.push(String(data.name)));
    done.push(String(data.name));
    return new Promise(() => {});
  }),
];

let concord: ConcordClient;
let worker: RunningAgent;
let sdk: Awaited<ReturnType<typeof startSdkAgent>>;
beforeAll(async () => {
  concord = await connect(service.url);
  worker = await startAgent({
    ...{ id: 'worker', name: 'Worker', description: 'Works.', skills, onError() {} },
    ...{ concord: { url: service.url } },
  });
  sdk = await startSdkAgent(skills);
  await concord.agents.register({ id: 'sdk', card: sdk.rest });
});
afterAll(() => Promise.all([worker?.close(), sdk?.close()]));
beforeEach(() => {
  done.length = 0;
  stopped.length = 0;
});

interface Step {
  id: string;
  state: string;
  tasks?: string[];
  attempts?: number;
  error?: { reason: string; message: string };
}
interface Made {
  steps: Step[];
  results: Record<string, unknown>;
}
const coordinated = async (steps: object[], more: object = {}): Promise<Task> => {
  const { task } = await concord.tasks.send([{ data: { skill: 'coordinate', steps, ...more } }]);
  return task as Task;
};
const begun = async (steps: object[], more: object = {}): Promise<string> => {
  const message = [{ data: { skill: 'coordinate', steps, ...more } }];
  const { task } = await concord.tasks.send(message, { returnImmediately: true });
  return task?.id ?? '';
};
const madeBy = ({ artifacts }: Task) => artifacts?.find(({ name }) => name === 'workflow')?.parts[0]?.data as Made;
const statesOf = (task: Task) => Object.fromEntries(madeBy(task).steps.map(({ id, state }) => [id, state]));
const errorOf = (task: Task, step: string) => madeBy(task).steps.find(({ id }) => id === step)?.error;
const faultOf = ({ status }: Task) =>
  (status.message?.parts[1]?.data as { error?: { data: Record<string, unknown> } } | undefined)?.error?.data;
const saidBy = ({ status }: Task) => status.message?.parts[0]?.text ?? '';
const echo = (id: string, parameters: object = {}, more: object = {}) => ({
  ...{ id, agent: 'worker', task: 'echo', parameters: { name: id, ...parameters } },
  ...more,
});

test('steps that need one another are done in their order, with what the others have made', async () => {
  const task = await coordinated([
    echo('last', { from: { $result: 'middle', pointer: '/name' }, also: { $result: 'first', pointer: '/list/1' } }),
    { ...echo('middle', {}, { depends: ['first'] }), agent: 'sdk' },
    echo('first', { list: [1, 2] }),
  ]);
  expect([task.status.state, saidBy(task)]).toEqual(['TASK_STATE_COMPLETED', 'All 3 steps have ended']);
  expect(done).toEqual(['first', 'middle', 'last']);
  expect(madeBy(task).results).toEqual({ last: { name: 'last', from: 'middle', also: 2 } });
});

test('each step is a task, joined to its workflow and to those before it', async () => {
  const { id, artifacts, contextId } = await coordinated([echo('first'), echo('second', {}, { depends: ['first'] })]);
  const [first, second] = madeBy({ artifacts } as Task).steps.map(({ tasks }) => tasks?.[0]);
  const rows = await database.run(
    'READ',
    `MATCH (w:Task {id: $id})<-[p:PART_OF]-(t:Task) OPTIONAL MATCH (t)-[:DEPENDS_ON]->(b:Task)
     RETURN p {.step, .item, .attempt} AS part, t.id AS task, b.id AS after ORDER BY p.step`,
    { id },
  );
  expect(rows).toEqual([
    { part: { step: 'first', item: 0, attempt: 1 }, task: first, after: null },
    { part: { step: 'second', item: 0, attempt: 1 }, task: second, after: first },
  ]);
  const step = await concord.tasks.get(first ?? '');
  expect([step.status.state, step.contextId]).toEqual(['TASK_STATE_COMPLETED', contextId]);
});

test('the skills of Concord are agents, and act as the caller', async () => {
  const subject = 'urn:x:atlantis';
  const statement = {
    subject: { id: subject },
    predicate: { id: 'https://example.org/world#region' },
    object: { value: 'Atlantis' },
  };
  const task = await coordinated([
    {
      id: 'propose',
      agent: 'concord/propose',
      message: 'It was told',
      parameters: { sourceAgentId: 'scout', mutations: [{ op: 'add', statement }] },
    },
    {
      id: 'read',
      agent: 'concord/explain',
      parameters: { subject: { $result: 'propose', pointer: '/none', default: subject } },
      depends: ['propose'],
    },
  ]);
  expect([task.status.state, saidBy(task)]).toEqual(['TASK_STATE_COMPLETED', 'All 2 steps have ended']);
  const walk = await database.run(
    'READ',
    `MATCH (u:Update)<-[:MADE]-(t:Task)-[p:PART_OF]->(w:Task {id: $id})
     RETURN u.sourceAgentId AS agent, u.justification AS why, p.step AS step`,
    { id: task.id },
  );
  expect(walk).toEqual([{ agent: 'scout', why: 'It was told', step: 'propose' }]);
  expect(JSON.stringify(madeBy(task).results)).toContain('Atlantis');
});

test('steps that need nothing of one another run side by side, as many as may', async () => {
  mostAtOnce = 0;
  const task = await coordinated(
    Array.from({ length: 9 }, (_, n) => ({ id: `s${n}`, agent: 'worker', task: 'slow', parameters: { n } })),
  );
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(mostAtOnce).toBeGreaterThan(1);
  expect(mostAtOnce).toBeLessThanOrEqual(4);
});

test('a step that fails fails those that need it, and the rest goes on', async () => {
  const task = await coordinated([
    { id: 'bad', agent: 'worker', task: 'refuse' },
    echo('needs', { from: { $result: 'bad' } }),
    echo('after', {}, { depends: ['needs'] }),
    echo('free'),
  ]);
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(statesOf(task)).toEqual({ bad: 'failed', needs: 'failed', after: 'failed', free: 'completed' });
  expect(faultOf(task)).toMatchObject({ reason: 'workflow-failed', steps: ['bad', 'needs', 'after'] });
  expect(errorOf(task, 'bad')).toMatchObject({ reason: 'agent-failed', message: expect.stringContaining('Sundays') });
  expect(errorOf(task, 'needs')?.reason).toBe('step-needed');
  expect(done).toEqual(['free']);
});

test('an optional step may be missing, and what has a default does without it', async () => {
  const task = await coordinated([
    { id: 'bad', agent: 'worker', task: 'refuse', optional: true },
    echo('after', { from: { $result: 'bad', default: 'nothing' } }, { depends: ['bad'] }),
    echo('needs', { from: { $result: 'bad' } }, { optional: true }),
  ]);
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(statesOf(task)).toEqual({ bad: 'failed', after: 'completed', needs: 'failed' });
  expect(saidBy(task)).toBe('1 of 3 steps have ended; missing are the optional bad, needs');
  expect(madeBy(task).results).toEqual({ after: { name: 'after', from: 'nothing' } });
});

test('a step whose condition does not hold is left out, with what needs its result', async () => {
  const when = (more: object) => ({ when: { $result: 'first', pointer: '/name', ...more } });
  const task = await coordinated([
    echo('first'),
    echo('yes', {}, when({ equals: 'first' })),
    echo('no', {}, when({ notEquals: 'first' })),
    echo('needs', { from: { $result: 'no' } }),
    echo('after', {}, { depends: ['no'] }),
  ]);
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(statesOf(task)).toMatchObject({ yes: 'completed', no: 'skipped', needs: 'skipped', after: 'completed' });
});

test('a step is done for each of a list, and gives the list of what came of it', async () => {
  const each = (more: object = {}) => ({
    ...{ id: 'each', agent: 'worker', task: 'echo', parameters: { name: { $item: '/name' } } },
    forEach: { $result: 'list', pointer: '/entries', ...more },
  });
  const list = { id: 'list', agent: 'worker', task: 'list' };
  const last = echo('last', { second: { $result: 'each', pointer: '/1/name' } });
  const task = await coordinated([list, each(), last]);
  expect(madeBy(task).results).toEqual({ last: { name: 'last', second: 'b' } });
  expect(done.slice(0, 3).sort()).toEqual(['a', 'b', 'c']);
  expect(madeBy(task).steps[1]?.tasks).toHaveLength(3);
  const bounded = await coordinated([list, each({ max: 2 }), last]);
  expect(errorOf(bounded, 'each')?.reason).toBe('step-items');
  const none = await coordinated([list, { ...each(), forEach: { $result: 'list', pointer: '/none' } }]);
  expect(errorOf(none, 'each')?.reason).toBe('step-nothing');
});

test('what a workflow cannot do is told before it begins, all of it at once', async () => {
  const task = await coordinated([
    echo('a', {}, { depends: ['b'] }),
    echo('b', {}, { depends: ['a'] }),
    echo('twice'),
    echo('twice'),
    echo('lost', { from: { $result: 'none' }, item: { $item: '' }, p: { $result: 'a', pointer: 'x' } }),
    { id: 'who', agent: 'nobody', task: 'echo' },
    { id: 'what', capability: 'levitate', message: 'up' },
    { id: 'which', agent: 'concord/watch' },
  ]);
  expect(task.status.state).toBe('TASK_STATE_REJECTED');
  const { reason, faults } = faultOf(task) as { reason: string; faults: { step: string; fault: string }[] };
  expect(reason).toBe('workflow-invalid');
  expect(faults.map(({ step, fault }) => [step, fault])).toEqual([
    ['twice', 'doubled-id'],
    ['lost', 'unknown-step'],
    ['a', 'circle'],
    ['lost', 'unknown-reference'],
    ['lost', 'unknown-reference'],
    ['who', 'unknown-agent'],
    ['what', 'capability-mismatch'],
    ['which', 'unknown-skill'],
  ]);
  expect(done).toEqual([]);
  const many = Array.from({ length: 1_001 }, (_, n) => echo(`s${n}`));
  expect(faultOf(await coordinated(many))).toMatchObject({ reason: 'invalid-params' });
});

test('a workflow of which each step is asked with much ends once all of them together are too much', async () => {
  const long = { $result: 'long', pointer: '/text' };
  const many = Array.from({ length: 40 }, (_, n) => echo(`s${n}`, { long }));
  const task = await coordinated([echo('long', { text: 'x'.repeat(18_000) }), ...many]);
  expect([task.status.state, faultOf(task)]).toMatchObject([
    'TASK_STATE_FAILED',
    { reason: 'workflow-size', limit: 640_000 },
  ]);
  // What was asked and what came back count, and the tasks under way.
  expect(done.length).toBeGreaterThan(12);
  expect(done.length).toBeLessThan(24);
  expect(statesOf(task)).toMatchObject({ s0: 'completed', s39: 'pending' });
});

test('a question of a step comes to the workflow, and the answer goes to that step', async () => {
  const asked = await coordinated([
    { id: 'greet', agent: 'worker', task: 'greet' },
    { id: 'other', agent: 'sdk', task: 'greet' },
    echo('free'),
    echo('last', { from: { $result: 'greet' } }),
  ]);
  expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(done).toEqual(['free']);
  expect(asked.status.message?.parts[1]?.data).toMatchObject({
    workflow: { waiting: [{ step: 'greet', text: 'Who is it?' }, { step: 'other' }] },
  });
  const answer = (parts: Part[]) => concord.tasks.send({ taskId: asked.id, parts });
  const { task: still } = await answer([{ data: { step: 'other' } }, { text: 'Bob' }]);
  expect(still?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const { task } = await answer([{ text: 'Ann' }]);
  expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(madeBy(task as Task).results).toMatchObject({ other: 'Hello, Bob', last: { from: 'Hello, Ann' } });
});

test('cancelling a workflow cancels its steps, here and at their agents', async () => {
  const wait = (id: string, agent: string) => ({ id, agent, task: 'wait', parameters: { name: id } });
  const id = await begun([wait('one', 'worker'), wait('two', 'sdk'), echo('last', {}, { depends: ['one'] })]);
  await eventually(() => done.length === 2);
  await concord.tasks.cancel(id);
  await eventually(() => stopped.length === 2);
  const rows = () =>
    database.run<{ state: string }>('READ', 'MATCH (:Task {id: $id})<-[:PART_OF]-(t:Task) RETURN t.state AS state', {
      id,
    });
  await eventually(async () => (await rows()).every(({ state }) => state === 'CANCELED'));
  expect(await rows()).toHaveLength(2);
});

test('a step that takes too long fails, and so does a workflow', async () => {
  const wait = { agent: 'worker', task: 'wait', parameters: { name: 'x' } };
  const task = await coordinated([{ id: 'late', ...wait, timeout: 500 }, echo('free')]);
  expect(errorOf(task, 'late')?.reason).toBe('delegation-deadline');
  const deadline = new Date(Date.now() + 1_500).toISOString();
  const late = await coordinated([{ id: 'wait', ...wait }], { deadline });
  expect([late.status.state, faultOf(late)?.reason]).toEqual(['TASK_STATE_FAILED', 'workflow-deadline']);
});

test('a workflow that waits for the review of a proposal goes on by itself', async () => {
  const statement = { subject: { id: 'urn:x:lemuria' }, predicate: { id: 'https://example.org/world#region' } };
  const asked = await coordinated([
    {
      ...{ id: 'propose', agent: 'concord/propose', message: 'Somebody said so' },
      parameters: {
        sourceAgentId: 'rumour',
        mutations: [{ op: 'add', statement: { ...statement, object: { value: 'Sea' } } }],
      },
    },
    echo('after', { verdict: { $result: 'propose', pointer: '/verificationStatus' } }),
  ]);
  expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const [held] = await concord.review.list();
  await concord.review.approve(held?.updateId ?? '');
  await eventually(async () => (await concord.tasks.get(asked.id)).status.state === 'TASK_STATE_COMPLETED');
  expect(madeBy(await concord.tasks.get(asked.id)).results).toMatchObject({ after: { verdict: 'Verified' } });
});

test('a workflow that an agent asks for, and that comes back to it, ends with an error', async () => {
  const circle = { 'concord.delegation': { hops: ['worker'] } };
  const parts = [{ data: { skill: 'coordinate', steps: [echo('back')] } }];
  const { task } = await concord.tasks.send({ parts, metadata: circle });
  expect(faultOf(task as Task)?.faults).toMatchObject([{ step: 'back', fault: 'delegation-loop' }]);
  const handed = await concord.delegate({ to: 'worker', task: 'handOn' });
  expect(handed.artifacts?.[0]?.parts[0]?.data).toMatchObject({ faults: [{ fault: 'delegation-loop' }] });
});
