import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  CapabilityError,
  type ConcordClient,
  connect,
  type TaskEvent,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '../../src/client/index.ts';
import { testSkills } from '../a2a/tasks.ts';
import { eventually, startTestService, type TestService } from '../a2a/testService.ts';
import { type Agent, type AgentOptions, answer, event, everything, startAgent, stream } from './agent.ts';

let service: TestService;
let skills: ReturnType<typeof testSkills>;
let client: ConcordClient;
let agents: Agent[];

beforeEach(async () => {
  agents = [];
  skills = testSkills();
  service = await startTestService({ settings: { SHUTDOWN_MS: '200' }, skills: skills.skills });
  client = await connect(service.listening.url, { retry: { baseMs: 5, maxMs: 20 } });
});
afterEach(async () => {
  for (const agent of agents) await agent.close();
  await service.close();
});

const echo = [{ data: { skill: 'echo', about: 'France' } }];
const wait = [{ data: { skill: 'wait' } }];

async function begunWaiting(): Promise<string> {
  const before = skills.waiting.size;
  const { task } = await client.tasks.send(wait, { returnImmediately: true });
  await eventually(() => skills.waiting.size > before);
  return task?.id ?? '';
}

async function agentThat(script: AgentOptions['script'], card: object = {}): Promise<Agent> {
  const supportedInterfaces = [{ url: '/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
  const agent = await startAgent({
    capabilities: everything,
    card: { supportedInterfaces, ...card },
    script,
  });
  agents.push(agent);
  return agent;
}
const connected = ({ url }: Agent) => connect(url, { retry: { baseMs: 5, maxMs: 20 } });

test('a message is answered with its task, which can be read again and is listed', async () => {
  const { task } = await client.tasks.send(echo);
  expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(task?.artifacts?.[0]?.parts[0]?.data).toEqual({ about: 'France' });
  const id = task?.id ?? '';
  expect(await client.tasks.get(id)).toMatchObject({ id, contextId: task?.contextId });
  await client.tasks.send(echo);
  const { tasks, nextPageToken, totalSize } = await client.tasks.list({ pageSize: 1 });
  expect(tasks).toHaveLength(1);
  expect(totalSize).toBe(2);
  const further = await client.tasks.list({ pageSize: 1, pageToken: nextPageToken });
  expect([...tasks, ...further.tasks].map((each) => each.id)).toContain(id);
});

test('a message with a task goes on with it', async () => {
  const { task } = await client.tasks.send([{ data: { skill: 'ask' } }]);
  expect(task?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const again = await client.tasks.send({ parts: echo, taskId: task?.id, contextId: task?.contextId });
  expect(again.task).toMatchObject({ id: task?.id, status: { state: 'TASK_STATE_COMPLETED' } });
});

test('a stream gives the events of the task until its end', async () => {
  const events: TaskEvent[] = [];
  for await (const each of client.tasks.stream(echo)) events.push(each);
  expect(events[0]?.task?.id).toBeDefined();
  expect(events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts ?? [])).toMatchObject([
    { data: { about: 'France' } },
  ]);
  expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
});

test('a task under way is followed, and cancelled', async () => {
  const id = await begunWaiting();
  const events = client.tasks.resubscribe(id);
  expect(((await events.next()).value as TaskEvent).task?.id).toBe(id);
  expect((await client.tasks.cancel(id)).status.state).toBe('TASK_STATE_CANCELED');
  const rest: TaskEvent[] = [];
  for await (const each of events) rest.push(each);
  expect(rest.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_CANCELED');
});

test('what the agent refuses is an error of its own class, with a reason', async () => {
  const missing = await client.tasks.get('nothing').catch((thrown: unknown) => thrown);
  expect(missing).toBeInstanceOf(TaskNotFoundError);
  expect(missing).toMatchObject({ code: -32001, reason: 'task-not-found', retryable: false });
  const { task } = await client.tasks.send(echo);
  const id = task?.id ?? '';
  await expect(client.tasks.cancel(id)).rejects.toBeInstanceOf(TaskNotCancelableError);
  await expect(client.tasks.resubscribe(id).next()).rejects.toBeInstanceOf(UnsupportedOperationError);
  await expect(client.tasks.send({ parts: echo, taskId: id })).rejects.toBeInstanceOf(UnsupportedOperationError);
});

test('a signal ends following, with its reason, and the task goes on', async () => {
  const id = await begunWaiting();
  const ending = new AbortController();
  const events = client.tasks.resubscribe(id, { signal: ending.signal });
  await events.next();
  const reason = new Error('enough');
  const next = events.next();
  ending.abort(reason);
  await expect(next).rejects.toBe(reason);
  expect((await client.tasks.get(id)).status.state).toBe('TASK_STATE_WORKING');
  skills.release();
});

test('a message is sent once, for it would begin another task; what only reads is asked again', async () => {
  const agent = await agentThat((response, _request, id) => {
    if (agent.requests.length % 2 === 1) response.writeHead(503).end();
    else answer(response, id, { result: { id: 't' } });
  });
  const { tasks } = await connected(agent);
  await tasks.get('t');
  expect(agent.requests.map(({ method }) => method)).toEqual(['GetTask', 'GetTask']);
  expect(agent.requests[0]?.headers['a2a-version']).toBe('1.0');
  for (const once of [() => tasks.send(echo), () => tasks.stream(echo).next(), () => tasks.cancel('t')]) {
    agent.requests.length = 0;
    await expect(once()).rejects.toMatchObject({ reason: 'http-status', retryable: true });
    expect(agent.requests).toHaveLength(1);
  }
});

test('following begins again until it stands, and a connection that is lost then is an error', async () => {
  const agent = await agentThat((response) => {
    if (agent.requests.length < 3) {
      response.writeHead(503).end();
      return;
    }
    stream(response);
    event(response, { result: { task: { id: 't' } } });
    setImmediate(() => response.destroy());
  });
  const events = (await connected(agent)).tasks.resubscribe('t');
  expect((await events.next()).value).toEqual({ task: { id: 't' } });
  await expect(events.next()).rejects.toMatchObject({ reason: 'network', retryable: true });
  expect(agent.requests).toHaveLength(3);
});

test('an agent without A2A 1.0, or without streams, is not asked', async () => {
  const old = await agentThat(undefined, { supportedInterfaces: undefined });
  await expect((await connected(old)).tasks.get('t')).rejects.toBeInstanceOf(CapabilityError);
  const quiet = await agentThat(undefined, { capabilities: {} });
  const { tasks } = await connected(quiet);
  expect(() => tasks.resubscribe('t')).toThrow(CapabilityError);
  expect([...old.requests, ...quiet.requests]).toEqual([]);
});
