import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Batches } from '../../../src/base/batches.ts';
import type { StreamEvent, StreamingMethod } from '../../../src/calls/call.ts';
import type { Authenticate } from '../../../src/security/authenticator.ts';
import { Unauthenticated } from '../../../src/security/refused.ts';
import { byName, type TaskJson, testSkills } from '../../a2a/tasks.ts';
import { call, eventually, json, startTestService, type TestService } from '../../a2a/testService.ts';
import { type Gate, gate } from '../../support/gate.ts';
import { type AgentSocket, openSocket } from './client.ts';

let service: TestService;
let skills: ReturnType<typeof testSkills>;
let areGood: boolean;
/** Holds up who is asked who it is. */
let asking: Gate | undefined;
const sockets: AgentSocket[] = [];

const authenticate: Authenticate = async (credentials) => {
  if (!areGood) throw new Unauthenticated('expired');
  await asking?.opened;
  return byName(credentials);
};

/** Two events, then nothing more until it is ended. */
const subscribe: StreamingMethod = async (params, { signal }) => {
  if ('refused' in (params as object)) throw new Error('refused');
  const events: StreamEvent[] = [
    { id: '8', result: { op: 'add' } },
    { id: '9', result: { op: 'remove' } },
  ];
  const ended = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
  const next = async () => (events.length > 0 ? events.splice(0) : ended);
  return Object.assign(new Batches(next, () => {}), { cursor: '7' });
};

async function start(settings: Record<string, string> = {}): Promise<void> {
  areGood = true;
  asking = undefined;
  skills = testSkills();
  service = await startTestService({
    settings: { SHUTDOWN_MS: '500', MAX_BODY_BYTES: '100000', TASK_MAX_CONCURRENT: '1000', ...settings },
    skills: skills.skills,
    streaming: { 'knowledge/subscribe': subscribe },
    a2a: { authenticate },
  });
}

/** With pings so often that who answers none is soon cut. */
async function restartImpatient(): Promise<void> {
  await service.close();
  await start({ HEARTBEAT_MS: '300' });
}

beforeEach(() => start());
afterEach(async () => {
  for (const { ws } of sockets.splice(0)) ws.terminate();
  skills.release();
  await service.close();
});

const ana = { Authorization: 'Bearer ana' };
const at = (agent: string) => `${service.url}/${agent}`;

async function open(agent: string, headers: Record<string, string> = ana): Promise<AgentSocket> {
  const socket = await openSocket(at(agent), headers);
  sockets.push(socket);
  return socket;
}

async function tasksOf(agent = 'ana'): Promise<TaskJson[]> {
  const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0', Authorization: `Bearer ${agent}` };
  const answer = service.post(JSON.stringify(call('ListTasks', {})), { headers });
  return (await json<{ result: { tasks: TaskJson[] } }>(answer)).result.tasks;
}

const connections = () =>
  new Promise<number>((resolve) => service.listening.server.getConnections((_error, count) => resolve(count)));

test('a run tells its progress, and then its result', async () => {
  const socket = await open('echo');
  const { result } = await socket.call('run', { task: 'x', context: { a: 1 } }, 'first');
  expect(result).toMatchObject({ content: 'completed', task: { state: 'completed' } });
  expect(result?.artifacts[0]?.parts).toEqual([{ type: 'data', data: { a: 1 } }]);
  const told = socket.notifications.map(({ params }) => [params.run, (params.task as { state: string }).state]);
  expect(told[0]).toEqual(['first', 'submitted']);
  const artifacts = socket.notifications.filter(({ params }) => params.artifact !== undefined);
  expect(artifacts.map(({ params }) => params.artifact)).toEqual([
    expect.objectContaining({ append: false, parts: [{ type: 'data', data: { a: 1 } }] }),
  ]);
  expect((await tasksOf()).map(({ id }) => id)).toEqual([result?.task?.id]);
});

test('runs are answered as each is done, and cancelled by their request or by their task', async () => {
  const socket = await open('concord');
  const first = socket.call('run', { task: 'x', context: { skill: 'wait' } }, 1);
  const second = socket.call('run', { task: 'x', context: { skill: 'wait' } }, 2);
  expect((await socket.call('run', { task: 'x', context: { skill: 'echo' } }, 3)).result?.task?.state).toBe(
    'completed',
  );
  await eventually(() => skills.waiting.size === 2);
  const cancelled = await socket.call<{ task: object }>('cancel', { run: 1 }, 4);
  expect(cancelled.result?.task).toMatchObject({ state: 'canceled' });
  expect((await first).error).toMatchObject({ code: -32004, data: { reason: 'task-cancelled' } });
  const [running] = (await tasksOf()).filter(({ status }) => status.state === 'TASK_STATE_WORKING');
  await socket.call('cancel', { task_id: running?.id }, 5);
  expect((await second).error?.data.reason).toBe('task-cancelled');
  expect((await socket.call('cancel', { run: 1 }, 6)).error?.code).toBe(-32001);
  const { result } = await socket.call('run', { task: 'x', context: { skill: 'echo' } }, 9);
  expect((await socket.call('cancel', { task_id: result?.task?.id }, 7)).error?.code).toBe(-32002);
  expect((await socket.call('cancel', {}, 8)).error?.code).toBe(-32600);
  const stranger = await open('concord', { Authorization: 'Bearer bob' });
  expect((await stranger.call('cancel', { task_id: running?.id })).error?.code).toBe(-32001);
});

test('events of the graph come until nobody wants more', async () => {
  const socket = await open('concord');
  const { result } = await socket.call<{ subscription: string }>('subscribe', { subscriptionQuery: 'x' });
  expect(result).toEqual({ subscription: '1', cursor: '7' });
  await eventually(() => socket.notifications.length === 2);
  expect(socket.notifications.map(({ params }) => params)).toEqual([
    { subscription: '1', cursor: '8', event: { op: 'add' } },
    { subscription: '1', cursor: '9', event: { op: 'remove' } },
  ]);
  expect((await socket.call('unsubscribe', result)).result).toEqual({});
  await eventually(async () => /open_subscriptions(\{.*\})? 0/.test(await service.metrics()));
  // What is refused takes no place.
  for (let count = 0; count < 100; count++) await socket.call('subscribe', { refused: true });
  for (let count = 0; count < 100; count++) {
    expect((await socket.call('subscribe', {})).result).toMatchObject({ subscription: expect.any(String) });
  }
  expect((await socket.call('subscribe', {})).error?.data.reason).toBe('too-many-subscriptions');
});

test('who opens a socket is known by the handshake', async () => {
  const refused = (agent: string, headers: Record<string, string>) => expect(open(agent, headers)).rejects;
  await refused('echo', {}).toMatchObject({ status: 401 });
  await refused('echo', { ...ana, 'X-Agent-ID': 'bob' }).toMatchObject({ status: 403 });
  await refused('nobody', ana).toMatchObject({ status: 404 });
  await refused('v1', ana).toMatchObject({ status: 404 });
  await refused('echo', { ...ana, Origin: 'https://evil.example' }).toMatchObject({ status: 403 });
  expect((await open('echo', { ...ana, 'X-Agent-ID': 'ana' })).closed).toBeUndefined();
});

test('credentials that expire end the socket, with what is under way on it', async () => {
  const socket = await open('concord');
  await socket.call('subscribe', {});
  const waiting = socket.call('run', { task: 'x', context: { skill: 'wait' } });
  await eventually(() => skills.waiting.size === 1);
  areGood = false;
  expect((await socket.call('run', { task: 'x' })).error?.data.reason).toBe('expired');
  expect((await waiting).error?.data.reason).toBe('expired');
  await eventually(() => socket.closed !== undefined);
  expect(socket.closed).toEqual({ code: 4401, reason: 'expired: The token has expired; get a new one' });
  const [ended] = socket.notifications.filter(({ method }) => method === 'unsubscribed');
  expect(ended?.params).toMatchObject({ subscription: '1', error: { data: { reason: 'expired', cursor: '9' } } });
  expect(skills.waiting.size).toBe(1);
});

test('the task of a run goes on when its socket closes in the middle', async () => {
  const socket = await open('wait');
  void socket.call('run', { task: 'x' });
  await eventually(() => skills.waiting.size === 1);
  socket.ws.terminate();
  await eventually(async () => (await connections()) <= 1);
  expect(skills.signals.map(({ aborted }) => aborted)).toEqual([false]);
  skills.release();
  await eventually(async () => (await tasksOf())[0]?.status.state === 'TASK_STATE_COMPLETED');
});

test('a shutdown ends subscriptions with where to resume, waits for runs, and then closes', async () => {
  const socket = await open('concord');
  await socket.call('subscribe', {});
  const waiting = socket.call('run', { task: 'x', context: { skill: 'wait' } });
  await eventually(() => skills.waiting.size === 1 && socket.notifications.length >= 4);
  const closed = service.close();
  await eventually(() => socket.notifications.at(-1)?.method === 'unsubscribed');
  expect(socket.notifications.at(-1)?.params.error).toMatchObject({ data: { reason: 'draining', cursor: '9' } });
  skills.release();
  expect((await waiting).result?.task?.state).toBe('completed');
  await closed;
  expect(socket.closed).toEqual({ code: 1001, reason: 'draining: Concord is shutting down' });
});

test('a run that a shutdown does not wait for any longer is told so', async () => {
  const socket = await open('wait');
  const waiting = socket.call('run', { task: 'x' });
  await eventually(() => skills.waiting.size === 1);
  await service.close();
  expect((await waiting).error?.data.reason).toBe('draining');
});

test('what comes when a shutdown has begun at another door is refused, over an open socket and a new one', async () => {
  const socket = await open('echo');
  asking = gate();
  const opening = openSocket(at('echo'), ana).catch(({ status }) => status);
  const held = socket.call('run', { task: 'x', context: { a: 1 } });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const closed = service.endpoint.close();
  asking.open();
  expect(await opening).toBe(503);
  expect((await held).result?.task?.state).toBe('completed');
  expect((await socket.call('run', { task: 'x', context: { a: 1 } })).error?.data.reason).toBe('draining');
  await closed;
});

test('messages that are binary, or too long, close the socket', async () => {
  const binary = await open('echo');
  binary.ws.send(Buffer.from('{"jsonrpc":"2.0","method":"run","params":{"task":"x"},"id":1}'));
  await eventually(() => binary.closed !== undefined);
  expect(binary.closed).toEqual({ code: 1003, reason: 'Messages are text' });
  const long = await open('echo');
  long.ws.send('x'.repeat(100_001));
  await eventually(() => long.closed !== undefined);
  expect(long.closed?.code).toBe(1009);
  expect(await tasksOf()).toEqual([]);
});

test('what is no request is answered, and the socket stays', async () => {
  const socket = await open('echo');
  for (const text of ['{', '', '[]', '[{"jsonrpc":"2.0","method":"run","id":1}]', '{"jsonrpc":"2.0","id":2}']) {
    socket.ws.send(text);
  }
  await eventually(() => socket.stray.length === 5);
  expect(socket.stray.map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32700],
    [null, -32700],
    [null, -32600],
    [null, -32600],
    [2, -32600],
  ]);
  expect((await socket.call('stop', {})).error?.code).toBe(-32601);
  socket.ws.send('{"jsonrpc":"2.0","method":"run","params":{"task":"x"}}');
  await eventually(async () => (await tasksOf()).length === 1);
  expect((await socket.call('run', { task: 'x' })).result?.task?.state).toBe('completed');
  expect(socket.stray).toHaveLength(5);
});

/** A socket after its handshake, of which the test writes the bytes. */
async function rawSocket(agent: string): Promise<Socket> {
  const { hostname, port, host } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const lines = [
    `GET /a2a/${agent}/ws HTTP/1.1`,
    `Host: ${host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Authorization: Bearer ana',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('101 Switching Protocols');
  return socket;
}

/** A masked frame of text; RFC 6455, section 5.2. */
function frame(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = bytes.length < 126 ? [0x80 | bytes.length] : [0xfe, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), bytes]);
}

test('a frame that comes in halves is one message, and half a frame is none', async () => {
  await restartImpatient();
  const bytes = frame('{"jsonrpc":"2.0","method":"run","params":{"task":"x"},"id":1}');
  const whole = await rawSocket('echo');
  let read = '';
  whole.on('data', (data) => {
    read += data;
  });
  whole.write(bytes.subarray(0, 20));
  await sleep(20);
  whole.write(bytes.subarray(20));
  await eventually(() => read.includes('"result"'));
  whole.destroy();
  const half = await rawSocket('echo');
  half.write(bytes.subarray(0, 20));
  const broken = await rawSocket('echo');
  broken.write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
  // Neither answers a ping.
  await eventually(async () => (await connections()) === 0);
  expect(await tasksOf()).toHaveLength(1);
});

test('a message that does not come to its end closes the socket, though pings are answered meanwhile', async () => {
  await restartImpatient();
  const [unfinished, whole] = [await open('echo'), await open('echo')];
  unfinished.ws.send('{"jsonrpc":', { fin: false });
  const more = setInterval(() => {
    if (unfinished.ws.readyState === unfinished.ws.OPEN) unfinished.ws.send(' ', { fin: false });
    whole.ws.ping();
    whole.ws.pong();
  }, 50);
  try {
    await eventually(() => unfinished.closed !== undefined);
  } finally {
    clearInterval(more);
  }
  expect((await whole.call('run', { task: 'x' })).result?.task?.state).toBe('completed');
});

test('an agent has as many sockets as it may, and those that are closed do not count', async () => {
  await service.close();
  await start({ SUBSCRIPTION_MAX_CONCURRENT: '2' });
  const [first] = [await open('echo'), await open('echo')];
  await expect(open('echo')).rejects.toMatchObject({ status: 429 });
  await open('echo', { Authorization: 'Bearer bob' });
  first.ws.close();
  await eventually(() => first.closed !== undefined);
  await eventually(async () =>
    open('echo').then(
      () => true,
      () => false,
    ),
  );
});

test('a socket that never reads is cut, and its task goes on', async () => {
  await restartImpatient();
  const socket = await rawSocket('flood');
  socket.pause();
  socket.write(frame('{"jsonrpc":"2.0","method":"run","params":{"task":"x"},"id":1}'));
  await eventually(async () => (await tasksOf()).length === 1);
  await eventually(async () => (await connections()) <= 1);
  await eventually(async () => (await tasksOf())[0]?.status.state === 'TASK_STATE_COMPLETED');
  socket.destroy();
});

test('who goes on asking and reads no answer is soon not read from either', async () => {
  const socket = await rawSocket('echo');
  socket.pause();
  const asked = frame(JSON.stringify({ jsonrpc: '2.0', method: 'none', id: 'x'.repeat(1_000) }));
  for (let n = 0; n < 200; n++) socket.write(Buffer.concat(Array(100).fill(asked)));
  const answered: number[] = [];
  await eventually(async () => {
    answered.push(service.log.filter(({ msg }) => msg === 'call').length);
    await sleep(500);
    return answered.length > 2 && new Set(answered.slice(-3)).size === 1;
  });
  // What the system holds for its reader comes to some thousands.
  expect(answered.at(-1)).toBeLessThan(12_000);
  socket.destroy();
});

test('of 10,000 messages at once each is answered, and so many are run as one socket may have', async () => {
  const socket = await open('wait');
  const answers = Array.from({ length: 10_000 }, () => socket.call('run', { task: 'x' }));
  const refused = (await Promise.all(answers.slice(64))).map(({ error }) => error?.data.reason);
  expect(new Set(refused)).toEqual(new Set(['too-many-requests']));
  await eventually(() => skills.waiting.size === 64);
  expect((await socket.call<{ task: object }>('cancel', { run: 1 })).result?.task).toMatchObject({ state: 'canceled' });
  skills.release();
  const states = (await Promise.all(answers.slice(1, 64))).map(({ result }) => result?.task?.state);
  expect(new Set(states)).toEqual(new Set(['completed']));
  expect((await socket.call('cancel', { run: 7 })).error?.code).toBe(-32001);
});

test('whatever JSON comes over a socket, no fault of the service comes of it', async () => {
  const socket = await open('echo');
  const method = fc.oneof(fc.constantFrom('run', 'cancel', 'unsubscribe', 'subscribe'), fc.jsonValue());
  const params = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { task: fc.jsonValue(), context: fc.jsonValue(), run: fc.jsonValue(), subscription: fc.jsonValue() },
      { requiredKeys: [] },
    ),
  );
  const request = fc.record({ jsonrpc: fc.constantFrom('2.0', '1.0'), id: fc.jsonValue(), method, params });
  let sent = 0;
  for (const each of fc.sample(fc.oneof({ weight: 3, arbitrary: request }, fc.jsonValue()), 300)) {
    socket.ws.send(JSON.stringify(each));
    sent += 1;
  }
  await eventually(() => socket.stray.length === sent);
  expect(socket.stray.filter(({ error }) => error?.code === -32603)).toEqual([]);
  expect((await socket.call('run', { task: 'x' }, 'last')).result?.task?.state).toBe('completed');
});
