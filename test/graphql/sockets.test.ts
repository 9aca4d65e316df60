import { afterEach, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import type { Service } from '../../src/service/startService.ts';
import { add, schemaOrg } from '../support/patches.ts';
import { call, startTestService } from '../support/service.ts';
import { openSocket, until } from './subscriber.ts';

let service: Service;
afterEach(() => service.close());

const update = (subject: string) =>
  call(service.url, 'knowledge/update', {
    sourceAgentId: 'atlas',
    mutations: [add(subject, `${schemaOrg}name`, 'x')],
  });
const everything = 'subscription { statementChanged { sequence } }';

async function metric(pattern: RegExp): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(pattern.exec(text)?.[1] ?? 0);
}
const openNow = /^concord_open_subscriptions(?:\{[^}]*\})? (\S+)/m;

/** Opens a bare socket; the status is that of a refusal. */
function rawSocket(headers: Record<string, string>): Promise<{ socket?: WebSocket; status?: number }> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers,
  });
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve({ socket }));
    socket.on('unexpected-response', (request, { statusCode }) => {
      request.destroy();
      resolve({ status: statusCode });
    });
    socket.on('error', reject);
  });
}

test('when the service stops, subscriptions are told where to resume and sockets are closed', async () => {
  service = await startTestService();
  const socket = openSocket(service.url);
  const subscription = socket.subscribe<{ statementChanged: { sequence: number } }>(everything);
  await until(async () => (await metric(openNow)) === 1);
  await update('urn:a');
  await until(() => subscription.data.length === 1);
  await service.close();
  await until(() => socket.closed !== undefined);
  expect(socket.closed?.code).toBe(1001);
  expect(subscription.errors?.[0]?.extensions).toEqual({
    code: -32012,
    reason: 'draining',
    retryable: true,
    cursor: subscription.data[0]?.statementChanged.sequence,
  });
});

test('a socket that reads nothing is cut off, and keeps nobody from stopping', async () => {
  service = await startTestService({ HEARTBEAT_MS: '200', SHUTDOWN_MS: '500' });
  const { socket } = await rawSocket({});
  if (!socket) throw new Error('The socket was refused');
  const acknowledged = new Promise((resolve) => socket.once('message', resolve));
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await acknowledged;
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: everything } }));
  await until(async () => (await metric(openNow)) === 1);
  socket.pause();
  await until(async () => (await metric(openNow)) === 0);
  expect(await metric(/concord_closed_subscriptions_total\{reason="caller-gone"\} (\S+)/)).toBe(1);
  const { socket: silent } = await rawSocket({});
  silent?.pause();
  await service.close();
  silent?.terminate();
  socket.terminate();
});

test('without identities, no web page of elsewhere opens a socket, under whatever name', async () => {
  service = await startTestService();
  const { port } = new URL(service.url);
  expect(await rawSocket({ Origin: 'https://evil.example' })).toEqual({ status: 403 });
  expect(await rawSocket({ Host: 'evil.example' })).toEqual({ status: 403 });
  const { socket } = await rawSocket({ Origin: `http://localhost:${port}` });
  expect(socket?.protocol).toBe('graphql-transport-ws');
  socket?.terminate();
});

test('an agent has as many sockets as it may, and is told so where it has more', async () => {
  service = await startTestService({ SUBSCRIPTION_MAX_CONCURRENT: '2' });
  const [first, second] = [openSocket(service.url), openSocket(service.url)];
  for (const each of [first, second]) await until(() => each.subscribe(everything) !== undefined);
  await until(async () => (await metric(openNow)) === 2);
  const third = openSocket(service.url);
  await until(() => third.closed !== undefined);
  expect(third.closed).toMatchObject({ code: 1013, reason: expect.stringContaining('sockets') });
  first.close();
  await until(async () => (await metric(openNow)) === 1);
  const fourth = openSocket(service.url);
  fourth.subscribe(everything);
  await until(async () => (await metric(openNow)) === 2);
  for (const each of [second, fourth]) each.close();
});

test('of whom nobody knows no more is read than says who it is, though its message has no end', async () => {
  service = await startTestService();
  const { socket } = await rawSocket({});
  if (!socket) throw new Error('The socket was refused');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.send('{"type":"connection_init","payload":{"x":"', { fin: false });
  for (let n = 0; n < 7; n++) socket.send('x'.repeat(10_000), { fin: false });
  expect(await closed).toBe(1009);
});
