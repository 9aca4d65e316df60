import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AgentCard, TaskState } from '@a2a-js/sdk';
import { ClientFactory, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Service } from '../../../src/service/startService.ts';
import { pythonWithSdk } from '../../a2a/python/environment.ts';
import { message, type TaskJson } from '../../a2a/tasks.ts';
import { eventually } from '../../a2a/testService.ts';
import { startReceiver, type TestReceiver } from '../../push/receiver.ts';
import { identities, tokenOf } from '../../support/identities.ts';
import { call, startServiceOnGraph } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';
import { FirstClient, type StreamEvent, sending, type Task } from './client.ts';
import { faultsOf } from './schema.ts';

const settings = { ...identities, PUSH_ALLOW: '127.0.0.1' };
const service = useService(settings);
const database = useDatabase();
const python = await pythonWithSdk();
/** Without `admin`, to whom no task is another's. */
const scope = 'tasks knowledge:query knowledge:subscribe';
const token = tokenOf({ tenant: 'north', sub: 'ana', scope });
const bearer = (name: string) => ({ authorization: `Bearer ${tokenOf({ tenant: 'north', sub: name, scope })}` });

let replica: Service;
let receiver: TestReceiver;
let ana: FirstClient;
let bob: FirstClient;

beforeAll(async () => {
  replica = await startServiceOnGraph(settings);
  receiver = await startReceiver();
  ana = await FirstClient.at(service.url, bearer('ana'));
  bob = await FirstClient.at(service.url, bearer('bob'));
});
afterAll(async () => {
  await receiver?.close();
  await replica?.close();
});

const subscription = 'subscription { statementChanged { op changeId } }';
const watch = () => sending({ skill: 'watch', subscriptionQuery: subscription });
const query = (further: object = {}) => sending({ skill: 'query', query: '{ entities(limit: 1) { id } }' }, further);

/** Begins a task that goes on until it is cancelled, and tells what is streamed of it. */
async function watching(): Promise<{ id: string; events: StreamEvent[]; ended: Promise<void> }> {
  const params = watch();
  const events: StreamEvent[] = [];
  const ended = (async () => {
    for await (const event of ana.stream('tasks/sendSubscribe', params)) events.push(event);
  })();
  await eventually(async () => (await ana.call('tasks/get', { id: params.id })).result?.status.state === 'working');
  return { id: params.id, events, ended };
}

/** The official client in JavaScript, in one version. */
async function official(version: string) {
  const response = await fetch(`${service.url}/.well-known/agent-card.json`);
  const card = AgentCard.fromJSON(await response.json());
  const supportedInterfaces = card.supportedInterfaces.filter(
    (each) => each.protocolVersion === version && each.protocolBinding === 'JSONRPC',
  );
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...bearer('ana') } });
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } })],
  });
  return factory.createFromAgentCard({ ...card, supportedInterfaces });
}

test.each(['1.0', '0.3'])(
  'a task begun here is read, followed and cancelled by the official client of A2A %s',
  async (version) => {
    const { id, events, ended } = await watching();
    const client = await official(version);
    expect(await client.getTask({ id, tenant: '' })).toMatchObject({
      id,
      status: { state: TaskState.TASK_STATE_WORKING },
    });
    const followed = [];
    for await (const { payload } of client.resubscribeTask({ id, tenant: '' })) {
      followed.push(payload?.$case);
      if (followed.length === 1) {
        const cancelled = await client.cancelTask({ id, tenant: '', metadata: undefined });
        expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
      }
    }
    expect([followed[0], followed.at(-1)]).toEqual(['task', 'statusUpdate']);
    await ended;
    for (const event of events) expect(faultsOf('event', event)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ id, status: { state: 'canceled' }, final: true });
  },
);

(python.missing === undefined ? test : test.skip).each(['1.0', '0.3'])(
  'and by the official Python client of A2A %s',
  async (version) => {
    if (python.missing !== undefined) throw new Error(python.missing);
    const { id, events, ended } = await watching();
    const args = ['test/dialects/kernel/python/task.py', service.url, version, id, token];
    const { stdout } = await promisify(execFile)(python.command, args, { timeout: 120_000 });
    const { read, followed, cancelled } = JSON.parse(stdout);
    expect(read).toMatchObject({ id, status: { state: 'TASK_STATE_WORKING' } });
    expect(followed[0]).toMatchObject({ task: { id } });
    expect(followed.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } } });
    expect(cancelled).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
    await ended;
    expect(events.at(-1)).toMatchObject({ id, status: { state: 'canceled' }, final: true });
  },
);

test('a task begun in A2A 1.0 is read, followed and cancelled here by who names the version', async () => {
  const configuration = { returnImmediately: true };
  const params = { ...message({ skill: 'watch', subscriptionQuery: subscription }), configuration };
  const of10 = { ...bearer('ana'), 'A2A-Version': '1.0' };
  const { result } = await call<{ task: TaskJson }>(service.url, 'SendMessage', params, of10);
  const { id, contextId } = result.task;
  expect(await ana.done('tasks/get', { id })).toMatchObject({ kind: 'task', contextId });

  const named = new FirstClient(`${service.url}/a2a`, { ...bearer('ana'), 'A2A-Version': '0.1' });
  await eventually(async () => (await named.done('tasks/get', { id })).status.state === 'working');
  const read = await named.done('tasks/get', { id, historyLength: 5 });
  expect(faultsOf('task', read)).toEqual([]);
  expect(read).toMatchObject({ id, sessionId: contextId, status: { state: 'working' } });
  const events: StreamEvent[] = [];
  for await (const event of named.stream('tasks/resubscribe', { id })) {
    if (events.push(event) === 1) expect((await named.done('tasks/cancel', { id })).status.state).toBe('canceled');
  }
  // The task as it is written, which may be a moment behind what this replica tells of it.
  expect(events[0]).toMatchObject({ status: { state: expect.stringMatching(/^(submitted|working)$/) }, final: false });
  expect(events.at(-1)).toMatchObject({ status: { state: 'canceled' }, final: true });
});

test('the id of a task of another agent looks unknown, and nothing can be begun under it', async () => {
  const { id, ended } = await watching();
  for (const method of ['tasks/get', 'tasks/cancel', 'tasks/resubscribe', 'tasks/pushNotification/get']) {
    expect([method, (await bob.fault(method, { id })).code]).toEqual([method, -32001]);
  }
  const pushNotificationConfig = { url: `${receiver.url}/theirs` };
  expect((await bob.fault('tasks/pushNotification/set', { id, pushNotificationConfig })).code).toBe(-32001);
  const again = { ...query(), id };
  for (const method of ['tasks/send', 'tasks/sendSubscribe']) {
    const error = await bob.fault(method, again);
    expect([method, error.code, error.data?.reason]).toEqual([method, -32602, 'task-id-refused']);
    expect(JSON.stringify(error)).not.toContain('ana');
  }
  const theirs = new FirstClient(`${service.url}/a2a`, {
    authorization: `Bearer ${tokenOf({ tenant: 'south', sub: 'ana' })}`,
  });
  expect(await theirs.done('tasks/send', again)).toMatchObject({ id, status: { state: 'completed' } });
  expect(await ana.done('tasks/cancel', { id })).toMatchObject({ id, status: { state: 'canceled' } });
  await ended;
});

test('tasks of two tenants may have one id, and each cancels its own', async () => {
  const claims = { sub: 'ana', scope };
  const south = new FirstClient(`${service.url}/a2a`, {
    authorization: `Bearer ${tokenOf({ ...claims, tenant: 'south' })}`,
  });
  const params = watch();
  const stream = async (client: FirstClient) => {
    for await (const event of client.stream('tasks/sendSubscribe', params)) if (event.final) return event.status?.state;
    return undefined;
  };
  const ended: (string | undefined)[] = [];
  const both = [];
  for (const client of [south, ana]) {
    both.push(stream(client).then((state) => ended.push(state)));
    await eventually(async () => (await client.call('tasks/get', { id: params.id })).result?.status.message != null);
  }
  expect((await south.done('tasks/cancel', { id: params.id })).status.state).toBe('canceled');
  await eventually(async () => ended.length > 0);
  expect(ended).toEqual(['canceled']);
  expect((await ana.done('tasks/get', { id: params.id })).status.state).toBe('working');
  expect((await ana.done('tasks/cancel', { id: params.id })).status.state).toBe('canceled');
  await Promise.all(both);
});

test('an id whose task was removed, or that an update named as its task, is not to be had again', async () => {
  for (const made of [`SET t.owner = 'ana'`, 'CREATE (t)-[:MADE]->(:Update {tenant: t.tenant, id: t.id})']) {
    const { id } = query();
    await database.run('WRITE', `CREATE (t:Task {tenant: 'north', id: $id}) WITH t ${made}`, { id });
    expect(await ana.fault('tasks/send', { ...query(), id })).toMatchObject({ data: { reason: 'task-id-refused' } });
  }
});

test('a message that only reads, to a task that waits on another replica, goes on with it and begins none', async () => {
  const elsewhere = await FirstClient.at(replica.url, bearer('ana'));
  const waiting = sending({ text: 'What is there?' });
  const unasked = { ...waiting, message: { role: 'user', parts: [{ type: 'file', file: { uri: 'urn:x' } }] } };
  expect((await elsewhere.done('tasks/send', unasked)).status.state).toBe('input-required');
  const { status, history } = await ana.done('tasks/send', { ...query(), id: waiting.id, historyLength: 10 });
  expect(status.state).toBe('completed');
  expect(history?.map(({ role }) => role)).toEqual(['user', 'agent', 'user', 'agent']);
  const events: StreamEvent[] = [];
  const again = { ...unasked, id: `${waiting.id}-2` };
  await elsewhere.done('tasks/send', again);
  for await (const event of ana.stream('tasks/sendSubscribe', { ...query(), id: again.id })) events.push(event);
  expect(events.at(-1)?.status?.state).toBe('completed');
  expect((await elsewhere.done('tasks/get', { id: again.id })).status.state).toBe('completed');
});

test('of messages that come at once to two replicas with one id, one begins the task', async () => {
  const elsewhere = await FirstClient.at(replica.url, bearer('ana'));
  const params = watch();
  const clients = Array.from({ length: 10 }, (_, index) => (index % 2 ? ana : elsewhere));
  const refused: unknown[] = [];
  const sent = clients.map(async (client) => {
    const answer = await client.call('tasks/send', params);
    if (answer.error) refused.push(answer.error);
    return answer;
  });
  await eventually(() => refused.length === 9);
  for (const error of refused) expect(error).toMatchObject({ code: -32004, data: { reason: 'task-under-way' } });
  await eventually(async () => (await ana.call('tasks/cancel', { id: params.id })).error === undefined);
  const answers = await Promise.all(sent);
  expect(answers.flatMap(({ result }) => result?.status.state ?? [])).toEqual(['canceled']);
  const { history } = await ana.done('tasks/get', { id: params.id, historyLength: 100 });
  expect(history?.filter(({ role }) => role === 'user')).toHaveLength(1);
});

test('a claim whose replica died before its task was written is free again', async () => {
  const params = query();
  const claim = (until: string) =>
    database.run(
      'WRITE',
      `MERGE (t:Task {tenant: 'north', id: $id})
       SET t.owner = 'ana', t.claim = 'c', t.replica = 'dead', t.leaseUntil = datetime() + duration($until)`,
      { id: params.id, until },
    );
  await claim('PT60S');
  expect(await ana.fault('tasks/send', params)).toMatchObject({ data: { reason: 'task-under-way' } });
  expect(await bob.fault('tasks/send', params)).toMatchObject({ data: { reason: 'task-id-refused' } });
  await database.run('WRITE', 'MATCH (t:Task {id: $id}) CREATE (t)-[:MADE]->(:Update {id: $id})', { id: params.id });
  await claim('-PT1S');
  expect(await ana.fault('tasks/send', params)).toMatchObject({ data: { reason: 'task-id-refused' } });
  await database.run('WRITE', 'MATCH (u:Update {id: $id}) DETACH DELETE u', { id: params.id });
  await claim('-PT1S');
  expect((await ana.done('tasks/send', params)).status.state).toBe('completed');
});

test('a receiver is told the task, with its token and credentials, whatever it was cancelled in', async () => {
  receiver.received.length = 0;
  const authentication = { schemes: ['Basic', 'Bearer'], credentials: 'YTpi' };
  const pushNotification = { url: `${receiver.url}/first`, token: 'mine', authentication };
  const params = { ...watch(), pushNotification };
  const ended = ana.done('tasks/send', params);
  await eventually(() => receiver.received.some(({ body }) => body.includes('"working"')));
  const got = await ana.done('tasks/pushNotification/get', { id: params.id });
  expect(faultsOf('taskPushConfig', got)).toEqual([]);
  const told = { ...pushNotification, authentication: { schemes: ['Basic'], credentials: 'YTpi' } };
  expect(got).toEqual({ id: params.id, pushNotificationConfig: told });
  const elsewhere = { url: `${receiver.url}/other` };
  const set = await ana.done('tasks/pushNotification/set', { id: params.id, pushNotificationConfig: elsewhere });
  expect(set).toEqual({ id: params.id, pushNotificationConfig: elsewhere });

  const of10 = { ...bearer('ana'), 'A2A-Version': '1.0' };
  await call(service.url, 'CancelTask', { id: params.id }, of10);
  await ended;
  await eventually(() => receiver.received.some(({ path }) => path === '/other'));
  const bodies = receiver.received.map(({ body }) => JSON.parse(body) as Task);
  for (const body of bodies) expect(faultsOf('task', body)).toEqual([]);
  expect(bodies.map(({ id }) => id)).toEqual(bodies.map(() => params.id));
  expect(bodies.at(-1)?.status.state).toBe('canceled');
  expect(receiver.received[0]?.headers).toMatchObject({
    'x-a2a-notification-token': 'mine',
    authorization: 'Basic YTpi',
    'content-type': 'application/json',
  });
});

test('a receiver at a private address is refused before anything is kept', async () => {
  const params = query({ pushNotification: { url: 'https://10.1.2.3/hook' } });
  expect(await ana.fault('tasks/send', params)).toMatchObject({ code: -32602, data: { reason: 'refused-address' } });
  expect((await ana.done('tasks/send', { ...params, pushNotification: null })).status.state).toBe('completed');
});

test('a body with a file of 20 MB is longer than bodies may be, and is said to be', async () => {
  const bytes = Buffer.alloc(20 * 1024 * 1024, 7).toString('base64');
  const params = { id: 'big', message: { role: 'user', parts: [{ type: 'file', file: { bytes } }] } };
  expect((await ana.fault('tasks/send', params)).code).toBe(-32600);
});

/** Params of which some are as they should be, with whatever texts and members JSON can have. */
const anyParams = (() => {
  const text = fc.string({ unit: 'binary', maxLength: 20 });
  const value = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' });
  const member = <T>(arbitrary: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 19, arbitrary }, { weight: 1, arbitrary: value });
  const data = fc.dictionary(text, value, { maxKeys: 3 });
  const file = fc.record({ name: text, mimeType: text, bytes: fc.base64String() }, { requiredKeys: ['bytes'] });
  const part = fc.oneof(
    fc.record({ type: fc.constant('text'), text, metadata: data }, { requiredKeys: ['type', 'text'] }),
    fc.record({ type: fc.constant('data'), data, metadata: data }, { requiredKeys: ['type', 'data'] }),
    fc.record({ type: fc.constant('file'), file }),
    { weight: 1, arbitrary: value },
  );
  const parts = fc.array(part, { minLength: 1, maxLength: 3 });
  const message = fc.record({ role: member(fc.constant('user')), parts });
  const authentication = member(fc.record({ schemes: fc.array(text, { maxLength: 2 }), credentials: text }));
  const pushConfig = member(
    fc.record({ url: fc.oneof(text, fc.webUrl()), token: text, authentication }, { requiredKeys: ['url'] }),
  );
  const params = fc.record(
    {
      id: member(fc.oneof(text, fc.constantFrom('a', 'b', 'c'))),
      sessionId: member(text),
      message: member(message),
      acceptedOutputModes: member(fc.array(fc.oneof(text, fc.constant('text')), { maxLength: 2 })),
      historyLength: member(fc.nat()),
      metadata: member(data),
      pushNotification: fc.option(pushConfig, { freq: 2 }),
      pushNotificationConfig: pushConfig,
    },
    { requiredKeys: ['id', 'message'] },
  );
  return fc.oneof({ weight: 4, arbitrary: params }, { weight: 1, arbitrary: value });
})();

test('whatever JSON the params are, no fault of the service comes of it', async () => {
  const unary = ['tasks/send', 'tasks/get', 'tasks/cancel', 'tasks/pushNotification/set', 'tasks/pushNotification/get'];
  const headers = { 'Content-Type': 'application/json', 'A2A-Version': '0.1', ...bearer('ana') };
  const post = async (body: unknown) =>
    (await fetch(`${service.url}/a2a`, { method: 'POST', headers, body: JSON.stringify(body) })).text();
  const seen = new Set<number | 'done'>();
  const note = (text: string) => {
    const codes = [...text.matchAll(/"error":\{"code":(-\d+)/g)].map(([, code]) => Number(code));
    for (const code of codes) seen.add(code);
    if (text.includes('"result":{"id"')) seen.add('done');
    expect([codes.includes(-32603) && text]).toEqual([false]);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(anyParams, { minLength: 20, maxLength: 20 }), async (all) => {
      const requests = all.map((params, id) => ({ jsonrpc: '2.0', id, method: unary[id % unary.length], params }));
      note(await post(requests));
      note(await post({ jsonrpc: '2.0', id: 1, method: 'tasks/sendSubscribe', params: all[0] }));
    }),
    { numRuns: 15 },
  );
  expect([...seen]).toEqual(expect.arrayContaining(['done', -32001, -32602]));
}, 60_000);
