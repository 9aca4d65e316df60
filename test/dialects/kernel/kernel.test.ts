import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { message, testSkills } from '../../a2a/tasks.ts';
import { eventually, startTestService, type TestService } from '../../a2a/testService.ts';
import { FirstClient, type StreamEvent, sending } from './client.ts';
import { faultsOf } from './schema.ts';

let service: TestService;
let client: FirstClient;
const skills = testSkills();

beforeAll(async () => {
  const settings = { MAX_BODY_BYTES: String(64 * 1024 * 1024), HEARTBEAT_MS: '200', TASK_MAX_CONCURRENT: '100' };
  service = await startTestService({ settings, skills: skills.skills });
  client = await FirstClient.at(service.listening.url);
});
afterAll(() => service.close());

async function all(events: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const seen = [];
  for await (const event of events) seen.push(event);
  return seen;
}

/** Begins a task that waits until it is released. */
async function begunWaiting(): Promise<{ id: string; ended: Promise<unknown> }> {
  const params = sending({ skill: 'wait' });
  const before = skills.waiting.size;
  const ended = client.call('tasks/send', params);
  await eventually(() => skills.waiting.size > before);
  return { id: params.id, ended };
}

test('a task has the id and the session that its client chose, and its answer as an artifact', async () => {
  const params = sending({ skill: 'echo', about: 'France' }, { sessionId: 's-1' });
  expect(faultsOf('sendParams', params)).toEqual([]);
  const task = await client.done('tasks/send', params);
  expect(faultsOf('task', task)).toEqual([]);
  expect(task).toMatchObject({
    id: params.id,
    sessionId: 's-1',
    status: { state: 'completed', message: { role: 'agent', parts: [{ type: 'text', text: 'completed' }] } },
    artifacts: [{ name: 'output', index: 0, parts: [{ type: 'data', data: { about: 'France' } }] }],
  });
  expect(task.history).toBeUndefined();
  const found = await client.done('tasks/get', { id: params.id });
  expect(found).toEqual(task);
});

test('a task without an id or a session gets both', async () => {
  const { message } = sending({ skill: 'echo' });
  const task = await client.done('tasks/send', { message });
  expect(task.id).toMatch(/^[0-9a-f-]{36}$/);
  expect(task.sessionId).not.toBe('');
  expect(await client.done('tasks/get', { id: task.id })).toMatchObject({ id: task.id });
});

test('a stream tells states and artifacts, and its last event says that it is', async () => {
  const params = sending({ skill: 'echo', about: 'France' });
  const events = await all(client.stream('tasks/sendSubscribe', params));
  for (const event of events) expect(faultsOf('event', event)).toEqual([]);
  expect(events.map(({ status, artifact }) => status?.state ?? artifact?.name)).toEqual([
    'submitted',
    'working',
    'output',
    'completed',
  ]);
  expect(events.map(({ final }) => final)).toEqual([false, false, undefined, true]);
  expect(events[2]?.artifact).toMatchObject({ index: 0, append: false, lastChunk: true });
});

test('as much of the history is told as is asked for', async () => {
  const params = sending({ skill: 'echo' }, { historyLength: 1 });
  const { history } = await client.done('tasks/send', params);
  expect(history?.map(({ role }) => role)).toEqual(['agent']);
  const roles = async (historyLength?: number) =>
    (await client.done('tasks/get', { id: params.id, historyLength })).history?.map(({ role }) => role);
  expect(await roles(2)).toEqual(['user', 'agent']);
  expect(await roles(1_000_000_000)).toEqual(['user', 'agent']);
  expect(await roles(0)).toBeUndefined();
  expect(await roles()).toBeUndefined();
  for (const historyLength of [-1, 1.5, 10_000_000_000, '1']) {
    expect(await client.fault('tasks/get', { id: params.id, historyLength })).toMatchObject({ code: -32602 });
    expect(await client.fault('tasks/send', sending({ skill: 'echo' }, { historyLength }))).toMatchObject({
      code: -32602,
    });
  }
});

test('texts, data and files go in and come out as they were', async () => {
  const parts = [
    { type: 'data', data: { skill: 'echo', deep: [1, { two: null }] }, metadata: { a: 1 } },
    { type: 'text', text: 'Zürich 🏔' },
    { type: 'file', file: { name: 'a.bin', mimeType: 'image/png', bytes: Buffer.from([0, 255]).toString('base64') } },
    { type: 'file', file: { uri: 'https://example.org/map.svg' } },
  ];
  const params = { id: crypto.randomUUID(), historyLength: 10, message: { role: 'user', parts, metadata: { b: 2 } } };
  const task = await client.done('tasks/send', params);
  expect(faultsOf('task', task)).toEqual([]);
  expect(task.history?.[0]).toEqual(params.message);
});

test('a task that waits for input goes on with the next message of its id', async () => {
  const params = sending({ skill: 'ask' });
  const first = await client.done('tasks/send', params);
  expect(first.status.state).toBe('input-required');
  const second = await client.done('tasks/send', { ...params, historyLength: 10 });
  expect(second).toMatchObject({ id: params.id, sessionId: first.sessionId, status: { state: 'input-required' } });
  expect(second.history?.map(({ role }) => role)).toEqual(['user', 'agent', 'user', 'agent']);
  const events = await all(client.stream('tasks/sendSubscribe', params));
  expect(events.at(-1)).toMatchObject({ id: params.id, status: { state: 'input-required' }, final: true });
  const elsewhere = await client.fault('tasks/send', { ...params, sessionId: 'another' });
  expect(elsewhere.code).toBe(-32602);
});

test('a task that has ended takes no further message, so that one that is sent again runs once', async () => {
  const params = sending({ skill: 'echo' });
  await client.done('tasks/send', params);
  expect((await client.fault('tasks/send', params)).code).toBe(-32004);
  expect((await client.fault('tasks/resubscribe', { id: params.id })).code).toBe(-32004);
});

test('of messages that come at once with one id, one begins the task', async () => {
  const params = sending({ skill: 'wait' });
  const before = skills.signals.length;
  const sent = Array.from({ length: 8 }, () => client.call('tasks/send', params));
  const refused: unknown[] = [];
  for (const each of sent) void each.then(({ error }: { error?: unknown }) => error && refused.push(error));
  await eventually(() => refused.length === 7 && skills.waiting.size > 0);
  expect(skills.signals.length).toBe(before + 1);
  for (const error of refused) expect(error).toMatchObject({ code: -32004, data: { reason: 'task-under-way' } });
  expect(await client.fault('tasks/send', params)).toMatchObject({ data: { reason: 'task-under-way' } });
  skills.release();
  const answers = await Promise.all(sent);
  expect(answers.flatMap(({ result }) => result?.status.state ?? [])).toEqual(['completed']);
});

test('of messages that come at once to a task that waits, in whichever version, one goes on', async () => {
  const { id } = await client.done('tasks/send', sending({ skill: 'ask' }));
  const before = skills.signals.length;
  const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0' };
  const other = async (): Promise<{ error?: { data: { reason: string } } }> => {
    const request = {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: message({ skill: 'wait' }, { taskId: id }),
    };
    return (await (await service.post(request, { headers })).json()) as object;
  };
  const sent = Array.from({ length: 8 }, (_, n) =>
    n % 2 ? client.call('tasks/send', { ...sending({ skill: 'wait' }), id }) : other(),
  );
  const refused: unknown[] = [];
  for (const each of sent) void each.then(({ error }: { error?: unknown }) => error && refused.push(error));
  await eventually(() => refused.length === 7 && skills.waiting.size > 0);
  expect(skills.signals.length).toBe(before + 1);
  for (const error of refused) expect(error).toMatchObject({ code: -32004, data: { reason: 'task-under-way' } });
  expect((await other()).error?.data.reason).toBe('task-under-way');
  skills.release();
  await Promise.all(sent);
  const { history } = await client.done('tasks/get', { id, historyLength: 100 });
  expect(history?.filter(({ role }) => role === 'user')).toHaveLength(2);
});

test('a task is cancelled while it runs, and not once it has ended', async () => {
  const { id, ended } = await begunWaiting();
  const cancelled = await client.done('tasks/cancel', { id });
  expect(faultsOf('task', cancelled)).toEqual([]);
  expect(cancelled).toMatchObject({ id, status: { state: 'canceled' } });
  await ended;
  const { id: done } = await client.done('tasks/send', sending({ skill: 'echo' }));
  expect((await client.fault('tasks/cancel', { id: done })).code).toBe(-32002);
});

test('a task is followed by who comes later', async () => {
  const { id, ended } = await begunWaiting();
  const events: StreamEvent[] = [];
  const followed = (async () => {
    for await (const event of client.stream('tasks/resubscribe', { id })) events.push(event);
  })();
  await eventually(() => events.length > 0);
  skills.release();
  await Promise.all([followed, ended]);
  expect(events.map(({ status, final }) => [status?.state, final])).toEqual([
    ['working', false],
    ['completed', true],
  ]);
});

test('a message that asks for no skill begins a task that says what there is', async () => {
  const params = sending({ greeting: 'hello' });
  const task = await client.done('tasks/send', params);
  expect(task).toMatchObject({ id: params.id, status: { state: 'input-required' } });
  expect(task.status.message?.parts[0]?.text).toContain('echo, ask, fail, wait');
});

test('what went wrong in a task is told by its state, and a rejected one has failed', async () => {
  const { status } = await client.done('tasks/send', sending({ skill: 'fail' }));
  expect(status).toMatchObject({ state: 'failed', message: { parts: [{ type: 'text' }, { type: 'data' }] } });
  expect(JSON.stringify(status)).not.toContain('hunter2');
});

test('parts and messages that there are none of are refused with the path of the fault', async () => {
  const message = (parts: unknown, role = 'user') => ({ id: crypto.randomUUID(), message: { role, parts } });
  const faulty = [
    [message([{ type: 'video', url: 'x' }]), 'message.parts[0].type'],
    [message([{ kind: 'text', text: 'of 0.3' }]), 'message.parts[0].type'],
    [message([{ type: 'text' }]), 'message.parts[0].text'],
    [message([{ type: 'data', data: [1] }]), 'message.parts[0].data'],
    [message([{ type: 'file', file: { name: 'x' } }]), 'message.parts[0].file'],
    [message([{ type: 'file', file: { bytes: 'AAAA', uri: 'https://a.example' } }]), 'message.parts[0].file'],
    [message([{ type: 'file', file: { bytes: 'no base64!' } }]), 'message.parts[0].file.bytes'],
    [message([]), 'message.parts'],
    [message(undefined), 'message.parts'],
    [message([{ type: 'text', text: 'x' }], 'agent'), 'message'],
    [message([{ type: 'text', text: 'x' }], 'system'), 'message.role'],
    [{ id: ' ', message: sending({}).message }, 'id'],
    [{ id: 'x'.repeat(513), message: sending({}).message }, 'id'],
    [{ id: 'x' }, 'message'],
  ] as const;
  for (const [params, path] of faulty) {
    for (const method of ['tasks/send', 'tasks/sendSubscribe']) {
      const error = await client.fault(method, params);
      expect(faultsOf('error', error)).toEqual([]);
      expect([error.code, (error.data as { issues?: { path: string }[] }).issues?.[0]?.path]).toEqual([-32602, path]);
    }
  }
});

test('a file of 20 MB is taken where bodies may be so long', async () => {
  const bytes = Buffer.alloc(20 * 1024 * 1024, 7).toString('base64');
  const parts = [
    { type: 'data', data: { skill: 'echo' } },
    { type: 'file', file: { name: 'big', bytes } },
  ];
  const params = { id: crypto.randomUUID(), message: { role: 'user', parts } };
  expect((await client.done('tasks/send', params)).status.state).toBe('completed');
  const { history } = await client.done('tasks/get', { id: params.id, historyLength: 2 });
  expect(history?.[0]?.parts[1]?.file?.bytes === bytes).toBe(true);
});

test('errors have the meaning and the form of this dialect', async () => {
  const unknown = { id: crypto.randomUUID() };
  for (const method of ['tasks/get', 'tasks/cancel', 'tasks/pushNotification/get', 'tasks/resubscribe']) {
    const error = await client.fault(method, unknown);
    if (method === 'tasks/pushNotification/get') expect([method, error.code]).toEqual([method, -32003]);
    else expect([method, error.code]).toEqual([method, -32001]);
    expect(faultsOf('error', error)).toEqual([]);
  }
  const pushNotification = { url: 'https://hooks.example.org/' };
  expect((await client.fault('tasks/send', sending({ skill: 'echo' }, { pushNotification }))).code).toBe(-32003);
  const spoken = sending({ skill: 'echo' }, { acceptedOutputModes: ['audio/ogg'] });
  expect((await client.fault('tasks/send', spoken)).code).toBe(-32005);
  for (const acceptedOutputModes of [[], ['text'], ['audio/ogg', 'application/json']]) {
    const params = sending({ skill: 'echo' }, { acceptedOutputModes });
    expect((await client.done('tasks/send', params)).status.state).toBe('completed');
  }
});

test('what a client has in mind is told by the header where it has one', async () => {
  const of = (version: string) => new FirstClient(service.url, { 'A2A-Version': version });
  expect((await of('1.0').fault('tasks/send', sending({ skill: 'echo' }))).code).toBe(-32601);
  const { id } = await of('0.1').done('tasks/send', sending({ skill: 'echo' }));
  expect(await of('0.3').done('tasks/get', { id })).toMatchObject({ kind: 'task', id });
  expect(await of('0.1').done('tasks/get', { id })).toMatchObject({ sessionId: expect.any(String) });
});

test('the card is one of this dialect and of A2A 0.3 at once, and is also had by a method', async () => {
  const card = await (await fetch(`${service.listening.url}/.well-known/agent.json`)).json();
  expect(faultsOf('card', card)).toEqual([]);
  expect(card).toMatchObject({ url: service.url, protocolVersion: '0.3.0' });
  expect(await client.done('agent/getCard', {})).toEqual(card);
});

test('a stream whose reader stops is left, and its task goes on to its end', async () => {
  const params = sending({ skill: 'flood' });
  const response = await service.post({ jsonrpc: '2.0', id: 1, method: 'tasks/sendSubscribe', params });
  const reader = response.body?.getReader();
  await reader?.read();
  await eventually(async () => {
    const { result } = await client.call('tasks/get', { id: params.id });
    return result?.status.state === 'completed';
  });
  await eventually(() => service.log.some(({ closeReason }) => closeReason === 'slow-consumer'));
  await reader?.cancel();
});
