import { Role } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { add, type ConcordClient, connect } from '../../src/client/index.ts';
import type { Part, SendResult, Task } from '../../src/client/taskTypes.ts';
import { type AgentSkill, question, type RunningAgent, SkillError, startAgent } from '../../src/kit/index.ts';
import { eventually } from '../a2a/testService.ts';
import { useService } from '../support/setUp.ts';

const service = useService({
  AGENT_ALLOW: '127.0.0.1',
  AGENT_SECRETS_KEY: 'a secret of thirty-two characters or so',
});

const faults: unknown[] = [];
let stopped: unknown;
const skill = (id: string, run: AgentSkill['run']): AgentSkill => ({
  id,
  name: id,
  description: `Does ${id}.`,
  tags: ['test'],
  run,
});
const skills = [
  skill('echo', ({ text, data }) => ({ text, data })),
  skill('state', async ({ concord, data }) => {
    await concord?.update([add('urn:kit:a', 'urn:kit:says', String(data.value))]);
    return 'stated';
  }),
  skill('greet', ({ text, history }) => (history.length === 0 ? question('Who is it?') : `Hello, ${text}`)),
  skill('refuse', () => {
    throw new SkillError('Not on Sundays');
  }),
  skill('break', () => {
    throw new Error('The password is xyzzy');
  }),
  skill('wait', ({ signal, tell }) => {
    tell('waiting');
    signal.addEventListener('abort', () => {
      stopped = signal.reason;
    });
    // It doesn't heed its signal.
    return new Promise(() => {});
  }),
];
const whoItIs = { id: 'kit', name: 'Kit', description: 'Tries the kit.', skills };
const token = 'the-token-of-the-agent';

let agent: RunningAgent;
let caller: ConcordClient;
beforeAll(async () => {
  agent = await startAgent({
    ...whoItIs,
    concord: { url: service.url },
    tags: ['trial'],
    token,
    onError: (error) => faults.push(error),
  });
  caller = await connect(agent.url, { token });
});
afterAll(() => agent.close());

const ask = (named: string, more: Part[] = []): Promise<SendResult> =>
  caller.tasks.send([{ data: { skill: named, value: 7 } }, ...more]);
const taskOf = async (sent: Promise<SendResult>): Promise<Task> => {
  const { task } = await sent;
  if (!task) throw new Error('There is no task');
  return task;
};
const saidBy = ({ status }: Task) => status.message?.parts[0]?.text;

test('an agent is registered with its card, its words and what it is called with, and found by its skills', async () => {
  expect(agent.registered).toMatchObject({ id: 'kit', status: 'up', credentials: 'bearer' });
  const concord = await connect(service.url);
  const [found] = await concord.agents.find({ skill: 'greet', tag: 'trial' });
  expect(found).toMatchObject({ id: 'kit', name: 'Kit', endpoints: [{ url: `${agent.url}/a2a`, version: '1.0' }, {}] });
});

test('a skill gets the texts and the data of a message, and its answer is the artifact of the task', async () => {
  const { status, artifacts } = await taskOf(ask('echo', [{ text: 'one' }, { text: 'two' }]));
  expect(status.state).toBe('TASK_STATE_COMPLETED');
  expect(artifacts?.[0]?.parts[0]?.data).toEqual({ text: 'one\ntwo', data: { value: 7 } });
});

test('what a skill states in Concord is stated by the agent', async () => {
  expect((await taskOf(ask('state'))).artifacts?.[0]?.parts[0]?.text).toBe('stated');
  const concord = await connect(service.url);
  const { data } = await concord.query('{ statements(where: { subject: { eq: "urn:kit:a" } }) { sourceAgentId } }');
  expect(JSON.stringify(data)).toContain('"kit"');
});

test('a task that waits for an answer goes on with it', async () => {
  const asked = await taskOf(ask('greet'));
  expect([asked.status.state, saidBy(asked)]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'Who is it?']);
  const { status, artifacts } = await taskOf(
    caller.tasks.send({ taskId: asked.id, contextId: asked.contextId, parts: [{ text: 'Ann' }] }),
  );
  expect([status.state, artifacts?.[0]?.parts[0]?.text]).toEqual(['TASK_STATE_COMPLETED', 'Hello, Ann']);
});

test('a message that names no skill of several is told which there are', async () => {
  const task = await taskOf(ask('none'));
  expect([task.status.state, saidBy(task)]).toEqual([
    'TASK_STATE_INPUT_REQUIRED',
    'Send a data part whose "skill" is one of echo, state, greet, refuse, break, wait.',
  ]);
});

test('a fault that is meant for the caller is told, and of any other only that it happened', async () => {
  const [refused, broken] = [await taskOf(ask('refuse')), await taskOf(ask('break'))];
  expect([refused.status.state, saidBy(refused)]).toEqual(['TASK_STATE_FAILED', 'Not on Sundays']);
  expect([broken.status.state, saidBy(broken)]).toEqual(['TASK_STATE_FAILED', 'The skill break failed']);
  expect(faults).toEqual([new Error('The password is xyzzy')]);
});

test('a skill that is cancelled is told to stop, and its task is over', async () => {
  const waiting = caller.tasks.stream([{ data: { skill: 'wait' } }]);
  let id = '';
  for await (const { task, statusUpdate } of waiting) {
    id = task?.id ?? id;
    if (statusUpdate?.status.message) break;
  }
  expect((await caller.tasks.cancel(id)).status.state).toBe('TASK_STATE_CANCELED');
  expect(stopped).toEqual(new Error('The task was cancelled'));
});

test('without its token nobody calls it, and its card can be read', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} });
  const headers = { 'content-type': 'application/json', 'A2A-Version': '1.0' };
  const statuses = await Promise.all(
    [undefined, 'Bearer another'].map(async (authorization) => {
      const { status } = await fetch(`${agent.url}/a2a`, {
        method: 'POST',
        body,
        headers: { ...headers, ...(authorization && { authorization }) },
      });
      return status;
    }),
  );
  expect(statuses).toEqual([401, 401]);
  const card = await fetch(`${agent.url}/.well-known/agent-card.json`, { headers });
  expect([card.status, await card.json()]).toMatchObject([200, { name: 'Kit', skills: { length: skills.length } }]);
});

test('the official client talks to an agent of one skill by text alone', async () => {
  const alone = await startAgent({ ...whoItIs, skills: [skill('echo', ({ text }) => text.toUpperCase())] });
  try {
    const client = await new ClientFactory().createFromUrl(alone.url);
    const message = {
      messageId: 'm1',
      role: Role.ROLE_USER,
      parts: [
        { content: { $case: 'text' as const, value: 'hello' }, metadata: undefined, filename: '', mediaType: '' },
      ],
      contextId: '',
      taskId: '',
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
    const answer = await client.sendMessage({ tenant: '', message, configuration: undefined, metadata: undefined });
    expect(JSON.stringify(answer)).toContain('HELLO');
    expect(alone).not.toHaveProperty('registered');
  } finally {
    await alone.close();
  }
});

test('an agent that closes tells those who wait, and is no longer there', async () => {
  const brief = await startAgent({ ...whoItIs, concord: { url: service.url }, register: 'card' });
  const client = await connect(brief.url);
  const sent = taskOf(client.tasks.send([{ data: { skill: 'wait' } }]));
  await eventually(async () => (await client.tasks.list({ status: 'TASK_STATE_WORKING' })).tasks.length === 1);
  await brief.close();
  expect(saidBy(await sent)).toBe('The agent is shutting down; send it again');
  await expect(connect(brief.url, { retry: { attempts: 1 } })).rejects.toThrow();
});

test('a skill that takes too long fails its task', async () => {
  const slow = await startAgent({ ...whoItIs, timeoutMs: 50 });
  try {
    const client = await connect(slow.url);
    const task = await taskOf(client.tasks.send([{ data: { skill: 'wait' } }]));
    expect(saidBy(task)).toBe('It took longer than 50 ms');
  } finally {
    await slow.close();
  }
});

test.each([
  ['that listens for others without a token', { host: '0.0.0.0' }, 'An agent that listens on 0.0.0.0 needs a token'],
  ['without a skill', { skills: [] }, 'An agent needs a skill'],
  ['with two skills of one id', { skills: [...skills, ...skills] }, 'Two skills have the id echo'],
  ['that is to be registered nowhere', { register: 'card' as const }, 'To register, an agent needs `concord`'],
])('an agent %s does not start', async (_, more, message) => {
  await expect(startAgent({ ...whoItIs, ...more })).rejects.toThrow(message);
});
