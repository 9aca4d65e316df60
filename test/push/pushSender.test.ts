import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { Writable } from 'node:stream';
import { StreamResponse, TaskPushNotificationConfig, TaskState } from '@a2a-js/sdk';
import { InMemoryPushNotificationStore } from '@a2a-js/sdk/server';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { parseAllowed } from '../../src/config/allowedReceivers.ts';
import { type PushParts, PushSender } from '../../src/push/pushSender.ts';
import { type SigningKey, signingKey } from '../../src/security/signingKey.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { type Metrics, startMetrics } from '../../src/telemetry/metrics.ts';
import { eventually } from '../a2a/testService.ts';
import { contextOf, statusAt } from '../tasks/contexts.ts';
import { startReceiver, type TestReceiver } from './receiver.ts';

const ana = contextOf('ana');
let receiver: TestReceiver;
let metrics: Metrics;
let store: InMemoryPushNotificationStore;
let outcomes: string[];
let log: string;
const senders: PushSender[] = [];

beforeEach(async () => {
  receiver = await startReceiver();
  metrics = startMetrics();
  store = new InMemoryPushNotificationStore();
  outcomes = [];
  log = '';
});
afterEach(async () => {
  for (const each of senders.splice(0)) await each.close();
  await receiver.close();
  await metrics.close();
});

function senderOf(parts: Partial<PushParts> = {}): PushSender {
  const { instruments } = metrics;
  const lines = new Writable({
    write(line, _encoding, done) {
      log += line;
      done();
    },
  });
  const sender = new PushSender({
    store,
    allowed: parseAllowed('127.0.0.0/8'),
    signing: () => undefined,
    instruments: {
      ...instruments,
      pushNotifications: {
        add: (_count, labels) => void outcomes.push(String(labels?.outcome)),
      },
    },
    logger: createLogger('info', lines),
    ...parts,
    patience: { baseMs: 1, ...parts.patience },
  });
  senders.push(sender);
  return sender;
}

const receiving = (further: object = {}, taskId = 't-1', context = ana) =>
  store.save(taskId, context, TaskPushNotificationConfig.fromJSON({ url: `${receiver.url}/hook`, ...further }));

const statusOf = (text: string, taskId = 't-1') =>
  StreamResponse.fromJSON({
    statusUpdate: {
      taskId,
      contextId: 'a talk',
      status: {
        state: 'TASK_STATE_WORKING',
        message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] },
      },
    },
  });
const textsReceived = () =>
  receiver.received.map(({ body }) => JSON.parse(body).statusUpdate.status.message.parts[0].text);
const settled = (count: number) => eventually(() => outcomes.length === count);

test('notifications arrive one at a time and in the order of the events', async () => {
  await receiving();
  const sender = senderOf();
  let open = 0;
  receiver.answer = (response) => {
    open += 1;
    expect(open).toBe(1);
    setImmediate(() => {
      open -= 1;
      response.end();
    });
  };
  const texts = Array.from({ length: 20 }, (_, i) => String(i));
  await Promise.all(texts.map((text) => sender.send(statusOf(text), ana)));
  await settled(20);
  expect(textsReceived()).toEqual(texts);
  expect(receiver.received[0]?.headers['content-type']).toBe('application/a2a+json');
  expect(new Set(outcomes)).toEqual(new Set(['sent']));
});

test('a receiver that was set in 0.3 is sent the task of 0.3', async () => {
  const context = contextOf('ana');
  Object.defineProperty(context, 'requestedVersion', { value: '0.3' });
  await receiving({}, 't-1', context);
  const status = statusAt(TaskState.TASK_STATE_WORKING, 0);
  const task = { id: 't-1', contextId: 'a talk', status, history: [], artifacts: [], metadata: undefined };
  await senderOf().send(statusOf('hello'), ana, task);
  await settled(1);
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
    kind: 'task',
    id: 't-1',
    status: { state: 'working' },
  });
});

test('the token and the credentials stand in their headers, and in no log', async () => {
  await receiving({ token: 'hush-token', authentication: { scheme: 'Basic', credentials: 'hush-hush' } });
  receiver.answer = (response) => response.writeHead(403).end('hush-answer');
  await senderOf().send(statusOf('hello'), ana);
  await settled(1);
  expect(receiver.received[0]?.headers).toMatchObject({
    'x-a2a-notification-token': 'hush-token',
    authorization: 'Basic hush-hush',
  });
  expect(log).toContain('HTTP 403');
  expect(log).not.toMatch(/hush|hook/);
});

const pems = {
  'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'P-521': generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

const signingWith = async (name: keyof typeof pems) => {
  const pem = pems[name].privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const key = await signingKey(pem);
  return {
    key,
    signing: () => ({ key, issuer: 'https://concord.example', jku: 'https://concord.example/keys' }),
  };
};

function claimsOf(token: string, { keySet }: SigningKey, taskId: string) {
  const [jwk] = keySet.keys;
  const verified = jwt.verify(token, createPublicKey({ key: jwk ?? {}, format: 'jwk' }), {
    issuer: 'https://concord.example',
    audience: receiver.url,
    complete: true,
  });
  expect(verified.header).toMatchObject({
    kid: jwk?.kid,
    jku: 'https://concord.example/keys',
    alg: jwk?.alg,
  });
  const sha256 = createHash('sha256')
    .update(receiver.received.at(-1)?.body ?? '')
    .digest('hex');
  expect(verified.payload).toMatchObject({ taskId, request_body_sha256: sha256, iat: expect.any(Number) });
  return verified.payload as jwt.JwtPayload;
}

test.each(Object.keys(pems) as (keyof typeof pems)[])(
  'with a key of %s each notification is signed: when, which, for which task and of which body',
  async (name) => {
    const { key, signing } = await signingWith(name);
    await receiving();
    const sender = senderOf({ signing });
    let failures = 1;
    receiver.answer = (response) => response.writeHead(failures-- > 0 ? 503 : 200).end();
    await sender.send(statusOf('hello'), ana);
    await sender.send(statusOf('again'), ana);
    await settled(2);
    const tokens = receiver.received.map(({ headers }) => headers.authorization?.replace('Bearer ', '') ?? '');
    claimsOf(tokens[2] ?? '', key, 't-1');
    const [first, repeated, other] = tokens.map((each) => (jwt.decode(each) as jwt.JwtPayload).jti);
    expect(repeated).toBe(first);
    expect(other).not.toBe(first);
  },
);

test('where the receiver has credentials of its own, the signature has a header of its own', async () => {
  const { key, signing } = await signingWith('P-256');
  await receiving({ authentication: { scheme: 'Bearer', credentials: 'theirs' } });
  await senderOf({ signing }).send(statusOf('hello'), ana);
  await settled(1);
  const headers = receiver.received[0]?.headers ?? {};
  expect(headers.authorization).toBe('Bearer theirs');
  claimsOf(String(headers['x-a2a-notification-signature']), key, 't-1');
});

test('what fails for a passing reason is sent again before the next', async () => {
  await receiving();
  const sender = senderOf();
  const fails = [
    (response: { destroy(): unknown }) => response.destroy(),
    (response: { writeHead(status: number): { end(): unknown } }) => response.writeHead(503).end(),
    (response: { writeHead(status: number): { end(): unknown } }) => response.writeHead(429).end(),
  ];
  receiver.answer = (response) => {
    const fail = fails.shift();
    if (fail) fail(response);
    else response.end();
  };
  await sender.send(statusOf('first'), ana);
  await sender.send(statusOf('second'), ana);
  await settled(2);
  expect(textsReceived()).toEqual(['first', 'first', 'first', 'first', 'second']);
  expect(outcomes).toEqual(['sent', 'sent']);
});

test('a receiver that does not answer is not waited for without end', async () => {
  await receiving();
  receiver.answer = () => {};
  await senderOf({ timeoutMs: 20, patience: { attempts: 2 } }).send(statusOf('hello'), ana);
  await settled(1);
  expect(outcomes).toEqual(['failed']);
  expect(log).toContain('ETIMEDOUT');
});

test('a redirect is not followed, and not tried again', async () => {
  await receiving();
  receiver.answer = (response) => response.writeHead(307, { Location: `${receiver.url}/elsewhere` }).end();
  await senderOf().send(statusOf('hello'), ana);
  await settled(1);
  expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
  expect(outcomes).toEqual(['failed']);
});

test('a receiver that fails several times in a row is paused, then tried once, and then served again', async () => {
  await receiving();
  let now = 0;
  const sender = senderOf({ now: () => now, patience: { attempts: 2, failures: 2, pauseMs: 1_000 } });
  let works = false;
  receiver.answer = (response) => response.writeHead(works ? 200 : 500).end();
  const send = async (text: string) => {
    const before = outcomes.length;
    await sender.send(statusOf(text), ana);
    await settled(before + 1);
  };
  for (const text of ['a', 'b', 'c']) await send(text);
  expect(outcomes).toEqual(['failed', 'failed', 'paused']);
  expect(textsReceived()).toEqual(['a', 'a', 'b', 'b']);
  now = 1_000;
  for (const text of ['d', 'e']) await send(text);
  expect(textsReceived().slice(4)).toEqual(['d']);
  now = 2_000;
  works = true;
  for (const text of ['f', 'g']) await send(text);
  expect(textsReceived().slice(5)).toEqual(['f', 'g']);
  expect(outcomes.slice(3)).toEqual(['failed', 'paused', 'sent', 'sent']);
});

test('a dead receiver of one agent keeps nobody else from being told', async () => {
  await receiving({ url: `${receiver.url}/dead` });
  await receiving({ url: `${receiver.url}/hook` });
  await receiving({ url: `${receiver.url}/dead` }, 't-2', contextOf('bob'));
  receiver.answer = (response, { path }) => {
    if (path === '/hook') response.end();
  };
  const sender = senderOf({ patience: { maxWaiting: 1 } });
  await sender.send(statusOf('hello'), ana);
  await sender.send(statusOf('hello', 't-2'), contextOf('bob'));
  await eventually(() => receiver.received.length === 3 && outcomes.length === 1);
  for (const text of ['1', '2']) await sender.send(statusOf(text), ana);
  await eventually(() => outcomes.length === 4);
  expect([...outcomes].sort()).toEqual(['overflow', 'sent', 'sent', 'sent']);
  await receiver.close();
});

test('an address that may not be called is not called, though it could be when it was set', async () => {
  await receiving({ url: `http://rebound.example:${new URL(receiver.url).port}/hook` });
  let address = '127.0.0.1';
  let resolved = 0;
  const sender = senderOf({
    resolve: async () => {
      resolved += 1;
      return [{ address, family: 4 }];
    },
  });
  await sender.send(statusOf('hello'), ana);
  await settled(1);
  expect(receiver.received[0]?.headers.host).toMatch(/^rebound\.example/);
  expect(resolved).toBe(1);
  address = '10.0.0.1';
  await sender.send(statusOf('again'), ana);
  await settled(2);
  expect(outcomes).toEqual(['sent', 'failed']);
  expect(log).toContain('refused-address');
});

test('a configuration whose secrets no header can hold is refused, without showing them', async () => {
  const config = TaskPushNotificationConfig.fromJSON({ url: receiver.url, token: 'hush\r\nX: y' });
  const refused = senderOf().requireReceiver(config);
  await expect(refused).rejects.toMatchObject({ code: -32602, data: { reason: 'invalid-header' } });
  await expect(refused).rejects.not.toThrow(/hush/);
});

test('at the end what waits is sent without waiting longer, and not again and again', async () => {
  await receiving();
  receiver.answer = (response) => response.writeHead(503).end();
  const sender = senderOf({ patience: { baseMs: 600_000 } });
  await sender.send(statusOf('first'), ana);
  await sender.send(statusOf('second'), ana);
  await eventually(() => receiver.received.length === 1);
  await sender.close();
  expect(outcomes).toEqual(['failed', 'failed']);
  expect(textsReceived().filter((text) => text === 'second')).toHaveLength(1);
});
