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
