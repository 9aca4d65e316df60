import { afterEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { startTestService, type TestService } from '../a2a/testService.ts';

let service: TestService | undefined;
afterEach(() => service?.close());

const page = 'https://app.example.org';

async function ask(origins: string, path: string, init: RequestInit, identities = true): Promise<Response> {
  const { CORS_ALLOWED_ORIGINS } = readConfig({ CORS_ALLOWED_ORIGINS: origins });
  service = await startTestService({ app: { identities, origins: CORS_ALLOWED_ORIGINS } });
  return fetch(service.listening.url + path, init);
}
const allowed = (response: Response) => response.headers.get('access-control-allow-origin');
const preflight = (origin: string, headers = 'authorization,content-type,x-api-key,a2a-version,x-after-revision') => ({
  method: 'OPTIONS',
  headers: {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': headers,
  },
});

test('no web page may call unless it is said', async () => {
  const response = await ask('', '/healthz', { headers: { origin: page } });
  expect([response.status, allowed(response), response.headers.get('vary')]).toEqual([200, null, null]);
});

test('a page of an origin that is named may call with the headers of Concord, and read when to come again', async () => {
  const origins = `http://localhost:3000, ${page}`;
  const response = await ask(origins, '/a2a', preflight(page));
  expect([response.status, allowed(response)]).toEqual([204, page]);
  const headers = response.headers.get('access-control-allow-headers')?.toLowerCase().split(',');
  for (const header of [
    'authorization',
    'content-type',
    'x-api-key',
    'a2a-version',
    'x-after-revision',
    'last-event-id',
  ])
    expect(headers).toContain(header);
  expect(response.headers.get('access-control-allow-methods')).toContain('DELETE');
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  const answer = await fetch(`${service?.listening.url}/healthz`, { headers: { origin: page } });
  expect([answer.status, allowed(answer), answer.headers.get('vary')]).toEqual([200, page, 'Origin']);
  expect(answer.headers.get('access-control-expose-headers')).toMatch(/Retry-After.*Location/);
});

test.each(['https://evil.example', 'null', 'https://app.example.org.evil.example', 'http://app.example.org', '*'])(
  'a page of %s may not',
  async (origin) => {
    for (const init of [preflight(origin), { headers: { origin } }]) {
      const response = await ask(page, '/healthz', init);
      expect(allowed(response)).toBeNull();
      await service?.close();
    }
    service = undefined;
  },
);

test('errors can be read too', async () => {
  const missing = await ask(page, '/nothing', { headers: { origin: page } });
  expect([missing.status, allowed(missing)]).toEqual([404, page]);
});

test('without identities, the pages that are named are answered and no others', async () => {
  const named = await ask(page, '/healthz', { headers: { origin: page } }, false);
  expect([named.status, allowed(named)]).toEqual([200, page]);
  const other = await fetch(`${service?.listening.url}/healthz`, { headers: { origin: 'https://evil.example' } });
  expect([other.status, allowed(other)]).toEqual([403, null]);
});

describe('CORS_ALLOWED_ORIGINS', () => {
  test.each([
    ['*', 'would let any web page in'],
    ['null', "'null' is no origin"],
    ['https://app.example.org/', 'https://app.example.org is one'],
    ['https://app.example.org/path', 'https://app.example.org is one'],
    ['app.example.org', 'is no origin'],
    ['https://*.example.org', 'is no origin'],
    ['file:///home', 'is no origin'],
  ])('%s is refused', (text, says) => {
    expect(() => readConfig({ CORS_ALLOWED_ORIGINS: text })).toThrow(says);
  });
});
