import { Agent, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { afterEach, expect, test } from '@jest/globals';
import { serveSockets } from '../../src/http/upgrades.ts';
import { startTestService, type TestService } from '../a2a/testService.ts';
import { type Received, received } from '../support/responses.ts';

let service: TestService;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterEach(async () => {
  agent.destroy();
  await service.close();
});

/** A request that offers another protocol, as Java's HTTP client and `curl --http2` do. */
function offering(upgrade: string, path: string, body = ''): Promise<Received> {
  return new Promise((resolve, reject) => {
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade,
      'http2-settings': 'AAMAAABk',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const method = body ? 'POST' : 'GET';
    request(`${service.listening.url}${path}`, { method, headers, agent }, (response) =>
      received(response).then(resolve, reject),
    )
      .on('error', reject)
      .end(body);
  });
}

test('an offer of another protocol is ignored, and the request answered with its body, on a connection that lasts', async () => {
  service = await startTestService();
  service.listening.server.removeAllListeners('upgrade');
  const route = (path: string) =>
    path === '/graphql' ? (_: unknown, socket: Duplex) => void socket.destroy() : undefined;
  serveSockets(service.listening.server, [() => undefined, route], { identities: false });
  const params = { text: 'ü'.repeat(500_000) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'echo', params });
  const first = await offering('h2c', '/a2a', body);
  expect([first.status, JSON.parse(first.text).result]).toEqual([200, { echo: params }]);
  const second = await offering('h2c', '/healthz');
  expect([second.status, second.port]).toEqual([200, first.port]);
  expect((await offering('websocket', '/a2a')).status).toBe(405);
  expect((await offering('websocket', '/nothing')).status).toBe(404);
  await expect(offering('websocket', '/graphql?a=b')).rejects.toThrow(/hang up|ECONNRESET/);
});
