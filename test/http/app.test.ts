import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { ConcordError, ErrorCode } from '../../src/base/errors.ts';
import { createHealth, type Readiness } from '../../src/http/health.ts';
import { json, rawGet, startTestService, type TestService } from '../a2a/testService.ts';

let service: TestService;
afterEach(() => service.close());
const address = (path: string) => service.listening.url + path;
const get = (path: string, init?: RequestInit) => fetch(address(path), init);
const quiet = pino({ level: 'silent' });

test('the process says that it is alive', async () => {
  service = await startTestService();
  expect(await json(get('/healthz'))).toEqual({ status: 'ok' });
});

test('it is ready when every check is, and tells each', async () => {
  const health = createHealth({ neo4j: async () => undefined, feed: async () => ({ lagMs: 3 }) }, quiet);
  service = await startTestService({ app: { health } });
  const response = await get('/readyz');
  expect(response.status).toBe(200);
  expect(await json(response)).toMatchObject({
    status: 'ready',
    checks: { neo4j: { ok: true }, feed: { ok: true, lagMs: 3 } },
  });
});

test('it is not ready when a check fails or does not answer in time; other reasons stay in the log', async () => {
  const lines: Record<string, unknown>[] = [];
  let begun = 0;
  const health = createHealth(
    {
      feed: async () => {
        throw new ConcordError(ErrorCode.InternalError, 'The feed is 12 s behind');
      },
      neo4j: async () => {
        throw new Error('bolt://user:secret@db');
      },
      stuck: () => {
        begun += 1;
        return new Promise(() => {});
      },
    },
    pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) }),
    50,
  );
  service = await startTestService({ app: { health } });
  const response = await get('/readyz');
  expect(response.status).toBe(503);
  const { status, checks } = await json<{ status: string; checks: Readiness['checks'] }>(response);
  expect(status).toBe('not ready');
  expect(checks.feed?.reason).toBe('The feed is 12 s behind');
  expect(checks.stuck?.reason).toContain('50 ms');
  expect(JSON.stringify(checks)).not.toContain('secret');
  await get('/readyz');
  // What hangs is not begun again for each probe, and none logs a stack.
  expect(begun).toBe(1);
  expect(lines.map(({ check }) => check).sort()).toEqual(['feed', 'feed', 'neo4j', 'neo4j', 'stuck', 'stuck']);
  for (const line of lines) expect(line).not.toHaveProperty('err');
});

test('a service that drains is alive and not ready', async () => {
  service = await startTestService();
  await service.endpoint.close();
  expect((await get('/healthz')).status).toBe(200);
  const response = await get('/readyz');
  expect([response.status, (await json<{ status: string }>(response)).status]).toEqual([503, 'draining']);
});

test('the schema is text with an ETag', async () => {
  service = await startTestService();
  const response = await get('/schema.graphql');
  expect(response.headers.get('content-type')).toContain('text/plain');
  expect(await response.text()).toBe('type Query { ok: Boolean }');
  const again = await rawGet(address('/schema.graphql'), {
    'If-None-Match': response.headers.get('etag') ?? '',
  });
  expect(again.status).toBe(304);
});

test('the index is JSON for programs and HTML for browsers', async () => {
  service = await startTestService({
    app: { mount: { '/graphql': (_request, response) => response.json({}) } },
  });
  expect((await json<{ addresses: object }>(get('/'))).addresses).toHaveProperty('/graphql');
  expect(await (await get('/', { headers: { Accept: 'text/html' } })).text()).toContain('href="/schema.graphql"');
  expect(await json(get('/graphql'))).toEqual({});
});

test('every link of the index leads somewhere', async () => {
  service = await startTestService({ unary: { 'agents/list': async () => ({ agents: [] }) } });
  const page = await (await get('/', { headers: { Accept: 'text/html' } })).text();
  const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, path = '']) => path);
  expect(page).toContain('<code>/a2a</code>');
  expect(links).toContain('/healthz');
  for (const path of links) expect([path, (await get(path)).status]).toEqual([path, 200]);
});

test('unknown addresses, wrong methods and broken ones are answered in JSON, with helmet on', async () => {
  service = await startTestService();
  const missing = await get('/nothing');
  expect(missing.status).toBe(404);
  expect((await json<{ error: string }>(missing)).error).toContain('GET /');
  expect(missing.headers.get('x-content-type-options')).toBe('nosniff');
  expect(missing.headers.get('x-powered-by')).toBeNull();
  const wrong = await get('/a2a');
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
});

test('a handler that throws is answered with 500 and without its message', async () => {
  service = await startTestService({
    app: {
      mount: {
        '/broken': () => {
          throw new Error('hunter2');
        },
      },
    },
  });
  const response = await get('/broken');
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('hunter2');
  expect(JSON.stringify(service.log)).toContain('hunter2');
});

test('requests under a name that is not of this machine are refused', async () => {
  service = await startTestService();
  const { port } = new URL(service.listening.url);
  for (const host of ['localhost', 'LOCALHOST:1', `127.0.0.1:${port}`, '[::1]', '[::1]:4000']) {
    expect((await rawGet(address('/healthz'), { Host: host })).status).toBe(200);
  }
  for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:80', 'a@localhost:x']) {
    const { status, body } = await rawGet(address('/healthz'), { Host: host });
    expect([host, status]).toEqual([host, 403]);
    expect(body).toContain('Host header');
  }
});

test('requests from web pages of other hosts are refused', async () => {
  service = await startTestService();
  for (const origin of ['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:8443']) {
    expect((await rawGet(address('/'), { Origin: origin })).status).toBe(200);
  }
  for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', 'file://']) {
    expect((await rawGet(address('/'), { Origin: origin })).status).toBe(403);
  }
});

test('with identities configured any host name is answered', async () => {
  service = await startTestService({ app: { identities: true } });
  expect(
    (await rawGet(address('/healthz'), { Host: 'kg.example.org', Origin: 'https://app.example.org' })).status,
  ).toBe(200);
});
