import { DefaultExecutionEventBusManager, type ExecutionEventBus, type ServerCallContext } from '@a2a-js/sdk/server';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { EXTENSION_URI } from '../../../src/a2a/protocol/extension.ts';
import { message, message03, type TaskJson, testSkills } from '../tasks.ts';
import { tasksInMemory } from '../tasksInMemory.ts';
import { type Answer, call, eventually, json, startTestService, type TestService } from '../testService.ts';

let service: TestService;
let skills: ReturnType<typeof testSkills>;
/** Listeners on the buses of tasks. */
const listeners = new Set<unknown>();

/** One for each bus, for who executes a task knows it by its bus. */
const countedBuses = new WeakMap<ExecutionEventBus, ExecutionEventBus>();

/** A bus that counts who listens. */
function counting(bus: ExecutionEventBus): ExecutionEventBus {
  const known = countedBuses.get(bus);
  if (known) return known;
  const noting =
    (note: (listener: unknown) => void, make: (...args: never[]) => unknown) =>
    (...args: [never, never]) => {
      note(args[1]);
      make.apply(bus, args);
      return counted;
    };
  const counted: ExecutionEventBus = new Proxy(bus, {
    get(target, name) {
      if (name === 'on') return noting((each) => listeners.add(each), target.on);
      if (name === 'off') return noting((each) => listeners.delete(each), target.off);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  countedBuses.set(bus, counted);
  return counted;
}

class CountingManager extends DefaultExecutionEventBusManager {
  override createOrGetByTaskId(...args: [string, ServerCallContext?]) {
    return counting(super.createOrGetByTaskId(...args));
  }
  override getByTaskId(...args: [string, ServerCallContext?]) {
    const bus = super.getByTaskId(...args);
    return bus && counting(bus);
  }
}

async function start(settings: Record<string, string> = {}): Promise<void> {
  listeners.clear();
  skills = testSkills();
  service = await startTestService({
    settings: { SHUTDOWN_MS: '200', ...settings },
    skills: skills.skills,
    a2a: { tasks: { ...tasksInMemory(), eventBusManager: new CountingManager() } },
  });
}

beforeEach(() => start());
afterEach(() => service.close());

const send = (body: unknown, headers: Record<string, string> = { 'A2A-Version': '1.0' }, init = {}) =>
  service.post(body, { headers: { 'Content-Type': 'application/json', ...headers }, ...init });
const answerTo = async (...request: Parameters<typeof send>) => json<Answer>(send(...request));
const taskOf = ({ result }: Answer) => result.task as TaskJson;
const getTask = async (id: string) => (await answerTo(call('GetTask', { id }))).result as unknown as TaskJson;
const again = async (settings: Record<string, string>) => {
  await service.close();
  await start(settings);
};

/** Begins a task that waits, and comes back at once. */
async function begunWaiting(): Promise<TaskJson> {
  const before = skills.waiting.size;
  const params = { ...message({ skill: 'wait' }), configuration: { returnImmediately: true } };
  const task = taskOf(await answerTo(call('SendMessage', params)));
  await eventually(() => skills.waiting.size > before);
  return task;
}

test('a message of A2A 1.0 runs the skill that its data part asks for, and its result is an artifact', async () => {
  const task = taskOf(await answerTo(call('SendMessage', message({ skill: 'echo', about: 'France' }))));
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(task.artifacts?.[0]?.parts[0]?.data).toEqual({ about: 'France' });
  expect(await getTask(task.id)).toMatchObject({ id: task.id, status: { state: 'TASK_STATE_COMPLETED' } });
});

test('a message of A2A 0.3, which needs no header, does the same', async () => {
  const { result } = await answerTo(call('message/send', message03({ skill: 'echo', about: 'France' })), {});
  expect(result).toMatchObject({
    kind: 'task',
    status: { state: 'completed' },
    artifacts: [{ parts: [{ kind: 'data', data: { about: 'France' } }] }],
  });
  expect((await answerTo(call('tasks/get', { id: result.id }), {})).result.kind).toBe('task');
});

test('the skill may also be named in the metadata of the message', async () => {
  const params = message({ about: 'France' }, { metadata: { skill: 'echo' } });
  expect(taskOf(await answerTo(call('SendMessage', params))).artifacts?.[0]?.parts[0]?.data).toEqual({
    about: 'France',
  });
});

test('a patch version does not matter', async () => {
  for (const [version, method, params] of [
    ['1.0.1', 'SendMessage', message({ skill: 'echo' })],
    ['0.3.0', 'message/send', message03({ skill: 'echo' })],
  ] as const) {
    expect((await answerTo(call(method, params), { 'A2A-Version': version })).error).toBeUndefined();
  }
});

test('a version that is not served is refused, and knowledge/* has none', async () => {
  const { error } = await answerTo(call('GetTask', { id: 'x' }), { 'A2A-Version': '2.0' });
  expect(error).toMatchObject({
    code: -32009,
    data: [{ reason: 'VERSION_NOT_SUPPORTED', domain: 'a2a-protocol.org' }],
  });
  expect((await answerTo(call('echo', {}), { 'A2A-Version': '2.0' })).result).toEqual({ echo: {} });
});

test('a method of the other version is refused with the header to send', async () => {
  const { error } = await answerTo(call('SendMessage', message({ skill: 'echo' })), {});
  expect([error.code, error.message]).toEqual([-32601, expect.stringContaining('A2A-Version: 1.0')]);
});

test('a message that asks for no skill is answered with what there is', async () => {
  const { result } = await answerTo(call('SendMessage', message({ greeting: 'hello' })));
  expect(result.message).toMatchObject({
    role: 'ROLE_AGENT',
    parts: [
      { text: expect.stringContaining('echo, ask, fail, wait') },
      { data: { skills: expect.arrayContaining([expect.objectContaining({ id: 'echo' })]) } },
    ],
  });
});

test('a batch takes methods of the protocol and of the extension together', async () => {
  const answers = await json<Answer[]>(
    send([call('echo', { a: 1 }, 1), call('SendMessage', message({ skill: 'echo' }), 2)]),
  );
  expect(answers.map(({ id }) => id)).toEqual([1, 2]);
  expect(answers[1] && taskOf(answers[1]).status.state).toBe('TASK_STATE_COMPLETED');
});

test('malformed params are answered with -32602, and a task that there is none of with -32001', async () => {
  expect((await answerTo(call('SendMessage', {}))).error.code).toBe(-32602);
  expect((await answerTo(call('SendMessage', { message: { role: 'ROLE_NOBODY' } }))).error.code).toBe(-32602);
  expect((await answerTo(call('GetTask', { id: 'x' }))).error).toMatchObject({
    code: -32001,
    data: [{ reason: 'TASK_NOT_FOUND' }],
  });
  expect((await answerTo(call('tasks/get', { id: 'x' }), {})).error.code).toBe(-32001);
});

test('a notification that fails is not answered, unless for the conformance kit', async () => {
  const note = { jsonrpc: '2.0', method: 'message/nothing', params: {} };
  expect((await send(note, {})).status).toBe(204);
  await again({ A2A_KIT: 'true' });
  expect((await answerTo(note, {})).error.code).toBe(-32601);
});

test('the answer names the extensions that it was made under, also when it is a stream', async () => {
  const headers = { 'A2A-Version': '1.0', 'A2A-Extensions': `${EXTENSION_URI}, https://example.org/other` };
  for (const method of ['SendMessage', 'SendStreamingMessage']) {
    const response = await send(call(method, message({ skill: 'echo' })), headers);
    expect([method, response.headers.get('A2A-Extensions')]).toEqual([method, EXTENSION_URI]);
    await response.text();
  }
  const own = await send(call('echo'), { 'A2A-Extensions': EXTENSION_URI });
  expect(own.headers.get('A2A-Extensions')).toBe(EXTENSION_URI);
  const old = await send(call('message/send', message03({ skill: 'echo' })), {
    'X-A2A-Extensions': EXTENSION_URI,
  });
  expect(old.headers.get('X-A2A-Extensions')).toBe(EXTENSION_URI);
});

/** The results of a stream that has ended. */
const streamed = (body: string) =>
  body
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => JSON.parse(event.slice(6)) as { result?: Record<string, object>; error?: Answer['error'] });

test('a stream begins with the task and ends with its last state', async () => {
  const response = await send(call('SendStreamingMessage', message({ skill: 'echo', a: 1 })));
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events = streamed(await response.text());
  expect(events.map(({ result }) => Object.keys(result ?? {})[0])).toEqual([
    'task',
    'statusUpdate',
    'artifactUpdate',
    'statusUpdate',
  ]);
  expect(events[3]?.result?.statusUpdate).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
});

test('a stream that is refused is answered with an error and not with a stream', async () => {
  const response = await send(call('SubscribeToTask', { id: 'x' }));
  expect([response.status, (await json(response)).error.code]).toEqual([200, -32001]);
});

test('a task is cancelled, and its skill told to stop', async () => {
  const { id } = await begunWaiting();
  const { result } = await answerTo(call('CancelTask', { id }));
  expect(result).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
  expect(skills.signals[0]?.aborted).toBe(true);
  expect(service.log.filter(({ level }) => level === 'error')).toEqual([]);
  expect((await answerTo(call('CancelTask', { id: 'x' }))).error.code).toBe(-32001);
});

test('a task that needs more goes on with the next message, until it has the messages that it may have', async () => {
  // A message and its answer, twice: the third time there are just as many as there may be.
  await again({ TASK_MAX_HISTORY: '4' });
  const { id, status } = taskOf(await answerTo(call('SendMessage', message({ skill: 'ask' }))));
  expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const more = () => answerTo(call('SendMessage', message({ skill: 'ask' }, { taskId: id })));
  expect(taskOf(await more())).toMatchObject({ id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
  expect((await more()).error.data).toMatchObject({ reason: 'history-full', limit: 4 });
});

test('a task whose messages are long together takes no further one, however few they are', async () => {
  await again({ TASK_MAX_HISTORY_BYTES: '5000' });
  const { id } = taskOf(await answerTo(call('SendMessage', message({ skill: 'ask', said: 'é'.repeat(1_500) }))));
  const more = (length: number) =>
    answerTo(call('SendMessage', message({ skill: 'ask', said: 'x'.repeat(length) }, { taskId: id })));
  expect((await more(3_000)).error.data).toMatchObject({ reason: 'history-full', limit: 5_000 });
  expect(taskOf(await more(10))).toMatchObject({ id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
});

test('a reference to a task that could forge a line of the log is refused', async () => {
  for (const each of ['a\nb', '\u001b[31m', 'a\u2028b']) {
    const { error } = await answerTo(call('SendMessage', message({ skill: 'echo' }, { referenceTaskIds: [each] })));
    expect([error.code, error.message]).toEqual([-32602, expect.stringContaining('control characters')]);
  }
});

test('a task that has ended takes no further message', async () => {
  const { id } = taskOf(await answerTo(call('SendMessage', message({ skill: 'echo' }))));
  const { error } = await answerTo(call('SendMessage', message({ skill: 'echo' }, { taskId: id })));
  expect(error.code).toBe(-32004);
});

test('a task that takes longer than TASK_TIMEOUT_MS fails, and says so', async () => {
  await again({ TASK_TIMEOUT_MS: '20' });
  const task = taskOf(await answerTo(call('SendMessage', message({ skill: 'wait' }))));
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(task.status.message?.parts[1]?.data).toMatchObject({
    error: { data: { reason: 'timeout', limit: 20 } },
  });
});

test('artifacts beyond TASK_MAX_ARTIFACT_BYTES fail the task', async () => {
  await again({ TASK_MAX_ARTIFACT_BYTES: '100' });
  const task = taskOf(await answerTo(call('SendMessage', message({ skill: 'echo', text: 'x'.repeat(100) }))));
  expect(task.status.message?.parts[1]?.data).toMatchObject({
    error: { data: { reason: 'artifact-too-large', limit: 100 } },
  });
  expect(task.artifacts ?? []).toEqual([]);
});

test('a fault of a skill is logged, and the task does not show it', async () => {
  const task = taskOf(await answerTo(call('SendMessage', message({ skill: 'fail' }))));
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(JSON.stringify(task)).not.toContain('hunter2');
  expect(JSON.stringify(service.log)).toContain('hunter2');
});

test('an agent has so many tasks at the same time and no more', async () => {
  await again({ TASK_MAX_CONCURRENT: '1' });
  await begunWaiting();
  const another = () => answerTo(call('SendMessage', message({ skill: 'echo' })));
  expect((await another()).error.data).toEqual({ reason: 'too-many-tasks', limit: 1, retryable: true });
  skills.release();
  await eventually(async () => (await another()).error === undefined);
});

test('an agent has so many streams open and no more', async () => {
  await again({ STREAM_MAX_CONCURRENT: '1' });
  const { id } = await begunWaiting();
  const open = await send(call('SubscribeToTask', { id }));
  const { error } = await answerTo(call('SubscribeToTask', { id }));
  expect(error.data).toMatchObject({ reason: 'too-many-streams' });
  skills.release();
  await open.text();
  const { result } = await answerTo(call('SendMessage', message({ skill: 'echo' })));
  expect(result).toBeDefined();
});

test('a task whose caller has gone goes on, and is kept up to date', async () => {
  const controller = new AbortController();
  const response = await send(call('SendStreamingMessage', message({ skill: 'wait' })), undefined, {
    signal: controller.signal,
  });
  const reader = response.body?.getReader();
  const first = new TextDecoder().decode((await reader?.read())?.value);
  const id = (streamed(first)[0]?.result?.task as TaskJson | undefined)?.id ?? '';
  await eventually(() => skills.waiting.size === 1);
  controller.abort();
  await eventually(() => service.log.some(({ closeReason }) => closeReason === 'caller-gone'));
  skills.release();
  await eventually(async () => (await getTask(id)).status.state === 'TASK_STATE_COMPLETED');
});

test('a subscriber that goes away leaves no listener behind', async () => {
  const { id } = await begunWaiting();
  const before = listeners.size;
  const controller = new AbortController();
  const response = await send(call('SubscribeToTask', { id }), undefined, { signal: controller.signal });
  expect(response.status).toBe(200);
  expect(listeners.size).toBeGreaterThan(before);
  controller.abort();
  await eventually(() => listeners.size === before);
  skills.release();
});

test('a shutdown ends the streams of tasks, says why, and lets the task fail for the same reason', async () => {
  const { id } = await begunWaiting();
  const open = await send(call('SubscribeToTask', { id }));
  const closed = service.close();
  const last = streamed(await open.text()).at(-1);
  expect(last?.error?.data).toMatchObject({ reason: 'draining' });
  await closed;
  expect(skills.signals[0]?.aborted).toBe(true);
});

test('each call leaves its counts, under its name', async () => {
  await answerTo(call('SendMessage', message({ skill: 'echo' })));
  await answerTo(call('tasks/get', { id: 'x' }), {});
  const metrics = await service.metrics();
  expect(metrics).toContain('concord_requests_total{method="SendMessage",outcome="ok"} 1');
  expect(metrics).toContain('concord_requests_total{method="tasks/get",outcome="-32001"} 1');
});
