import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { localPrincipal } from '../../../src/security/principal.ts';
import { Unauthenticated } from '../../../src/security/refused.ts';
import { gate } from '../../support/gate.ts';
import { call, eventually, json, startTestService, type TestService } from '../testService.ts';

let service: TestService;
let release = () => {};
let waiting: AbortSignal | undefined;

beforeEach(async () => {
  waiting = undefined;
  service = await startTestService({
    settings: { MAX_BODY_BYTES: '4096', SHUTDOWN_MS: '200' },
    unary: {
      wait: (_params, { signal }) => {
        waiting = signal;
        return new Promise((resolve, reject) => {
          release = () => resolve({ waited: true });
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        });
      },
    },
  });
});
afterEach(() => service.close());

test('a body over the limit is answered with 413 and the limit', async () => {
  const response = await service.post(call('echo', { text: 'x'.repeat(5000) }));
  expect(response.status).toBe(413);
  const { id, error } = await json(response);
  expect([id, error.code]).toEqual([null, -32600]);
  expect(error.message).toContain('4096 bytes');
});

test('a body of 20 MB meets the default limit of 16 MB with an answer, not with a broken connection', async () => {
  const large = await startTestService();
  try {
    const response = await large.post(call('echo', { text: 'x'.repeat(20 * 1024 * 1024) }));
    expect(response.status).toBe(413);
    expect((await json(response)).error.message).toContain('16777216');
    expect((await large.post(call('echo', { text: 'x'.repeat(15 * 1024 * 1024) }))).status).toBe(200);
  } finally {
    await large.close();
  }
});

test('a compressed body is read, and its limit is that of the text', async () => {
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  const small = gzipSync(JSON.stringify(call('echo', { a: 1 })));
  expect((await json(service.post(small, { headers }))).result).toEqual({ echo: { a: 1 } });
  const bomb = gzipSync(JSON.stringify(call('echo', { text: 'x'.repeat(100_000) })));
  expect(bomb.length).toBeLessThan(4096);
  expect((await service.post(bomb, { headers })).status).toBe(413);
  const broken = await service.post(Uint8Array.from([1, 2, 3]), { headers });
  expect([broken.status, (await json(broken)).error.code]).toEqual([400, -32700]);
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])(
  'the content type %s is answered with 415',
  async (type) => {
    const response = await service.post(call('echo'), { headers: { 'Content-Type': type } });
    expect([response.status, (await json(response)).error.code]).toEqual([415, -32005]);
  },
);

test('a content type with the charset UTF-8 is read', async () => {
  const headers = { 'Content-Type': 'application/json; charset="UTF-8"' };
  expect((await service.post(call('echo'), { headers })).status).toBe(200);
});

test('a principal that is not known is answered with 401 and the reason', async () => {
  const closed = await startTestService({
    a2a: {
      authenticate: async () => {
        throw new Unauthenticated('missing');
      },
    },
  });
  try {
    const response = await closed.post(call('echo'));
    expect([response.status, (await json(response)).error.data.reason]).toEqual([401, 'missing']);
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer realm="concord"');
  } finally {
    await closed.close();
  }
});

test('a caller that goes away aborts its call, which counts as cancelled and not as a fault', async () => {
  const controller = new AbortController();
  const answer = service.post(call('wait'), { signal: controller.signal });
  await eventually(() => waiting !== undefined);
  expect(waiting?.aborted).toBe(false);
  controller.abort();
  await expect(answer).rejects.toThrow();
  await eventually(() => waiting?.aborted === true);
  await eventually(() => service.log.some(({ outcome }) => outcome === 'cancelled'));
  expect(service.log.filter(({ level }) => level === 'error')).toEqual([]);
});

test('a caller that breaks off inside its body leaves the service well', async () => {
  const { port } = new URL(service.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    'POST /a2a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc"',
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.destroy();
  await eventually(() => service.log.some(({ msg }) => msg === 'refused'));
  expect((await service.post(call('echo'))).status).toBe(200);
});

test('each call leaves one log line and its counts', async () => {
  await service.post(call('echo', { secret: 'hunter2' }));
  await service.post(call('nothing'));
  await eventually(() => service.log.length === 2);
  expect(service.log[0]).toMatchObject({
    msg: 'call',
    method: 'echo',
    outcome: 'ok',
    ms: expect.any(Number),
  });
  expect(service.log[1]).toMatchObject({ method: 'unknown', outcome: '-32601' });
  expect(JSON.stringify(service.log)).not.toContain('hunter2');
  const metrics = await service.metrics();
  expect(metrics).toContain('concord_requests_total{method="echo",outcome="ok"} 1');
  expect(metrics).toContain('concord_requests_total{method="unknown",outcome="-32601"} 1');
  expect(metrics).toContain('concord_request_duration_seconds_count{method="echo",outcome="ok"} 1');
});

test('a shutdown waits for the calls under way and answers new ones with 503', async () => {
  const answer = service.post(call('wait'));
  await eventually(() => waiting !== undefined);
  const closed = service.endpoint.close();
  const late = await service.post(call('echo'));
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await json(late)).error.data).toEqual({ reason: 'draining', retryable: true });
  expect(service.endpoint.draining).toBe(true);
  release();
  expect((await json(answer)).result).toEqual({ waited: true });
  await closed;
});

test.each([
  ['JSON-RPC', '', call('echo')],
  ['HTTP+JSON', '/v1/message:send', { message: {} }],
])(
  'over %s a request whose caller is known only when a shutdown has begun is answered with 503',
  async (_, path, body) => {
    let asked = 0;
    const known = gate();
    const slow = await startTestService({
      a2a: {
        authenticate: async () => {
          asked++;
          await known.opened;
          return localPrincipal;
        },
      },
    });
    try {
      const headers = { 'Content-Type': 'application/json' };
      const late = fetch(`${slow.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      await eventually(() => asked === 1);
      const closed = slow.endpoint.close();
      known.open();
      expect((await late).status).toBe(503);
      await closed;
    } finally {
      await slow.close();
    }
  },
);

test('a shutdown aborts a call that takes longer than SHUTDOWN_MS, and says so', async () => {
  const answer = service.post(call('wait'));
  await eventually(() => waiting !== undefined);
  const start = Date.now();
  await service.endpoint.close();
  expect(Date.now() - start).toBeGreaterThanOrEqual(190);
  expect((await json(answer)).error.data.reason).toBe('draining');
});
