import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { readConfig } from '../../src/config/config.ts';
import { RateLimits } from '../../src/limits/rateLimits.ts';
import type { Service } from '../../src/service/startService.ts';
import { createInstruments } from '../../src/telemetry/instruments.ts';
import { bearerOf, identities } from '../support/identities.ts';
import { startServiceOnGraph } from '../support/service.ts';
import { useService } from '../support/setUp.ts';

const service = useService({
  ...identities,
  ...{
    RATE_LIMIT_AGENT: '8',
    RATE_LIMIT_METHODS: 'agents/list=2,graphql subscription=1',
    TRUSTED_PROXIES: '127.0.0.0/8',
  },
  AUDIT: 'writes',
});
let byAddress: Service;
beforeAll(async () => {
  byAddress = await startServiceOnGraph({ ...identities, RATE_LIMIT_ADDRESS: '5', TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => byAddress?.close());

const who = (sub: string, tenant = 'north') => bearerOf({ tenant, sub });
const rpc = (method: string, params = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const query = rpc('knowledge/query', { queryLanguage: 'graphql', query: '{ __typename }' });

async function post(
  body: object,
  headers: Record<string, string>,
  path = '/a2a',
  { url } = service as { url: string },
) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  const response = await fetch(`${url}${path}`, { ...init, body: JSON.stringify(body) });
  const { status, headers: told } = response;
  const limits = [told.get('ratelimit-policy'), told.get('ratelimit')?.replace(/t=\d+/, 't=N')];
  return { status, limits, again: Number(told.get('retry-after')), answer: await response.json() };
}

test('who calls too often is told to come again, over JSON-RPC and GraphQL, and others go on', async () => {
  const nora = who('nora');
  const first = await post(query, nora);
  expect(first).toMatchObject({ status: 200, limits: ['"agent";q=8;w=60', '"agent";r=7;t=N'] });
  // Each of a batch is one.
  await post(Array.from({ length: 6 }, () => query) as never, nora);
  expect((await post({ query: '{ __typename }' }, nora, '/graphql')).limits[1]).toBe('"agent";r=0;t=N');
  const refused = await post(query, nora);
  expect(refused).toMatchObject({ status: 429, limits: ['"agent";q=8;w=60', '"agent";r=0;t=N'] });
  expect(refused.again).toBeGreaterThan(0);
  expect(refused.again).toBeLessThanOrEqual(60);
  const data = { reason: 'rate-limited', retryable: true, limit: 8, policy: 'agent' };
  expect(refused.answer).toMatchObject({ id: 1, error: { code: -32600, data } });
  const overGraphql = await post({ query: '{ __typename }' }, nora, '/graphql');
  expect(overGraphql).toMatchObject({ status: 429, answer: { errors: [{ extensions: { reason: 'rate-limited' } }] } });
  expect(overGraphql.again).toBeGreaterThan(0);
  // Of A2A's own methods clients read the body alone.
  const task = await post(rpc('ListTasks'), { ...nora, 'A2A-Version': '1.0' });
  expect(task).toMatchObject({ status: 200, answer: { error: { data: { reason: 'rate-limited' } } } });
  expect((await post(query, who('nora', 'south'))).status).toBe(200);
  expect((await post(query, who('rita'))).status).toBe(200);
});

test('a method has a limit of its own, which the others are free of', async () => {
  const lou = who('lou');
  const list = () => post(rpc('agents/list'), lou);
  expect([(await list()).status, (await list()).status]).toEqual([200, 200]);
  expect(await list()).toMatchObject({ status: 429, answer: { error: { data: { policy: 'method', limit: 2 } } } });
  expect((await post(query, lou)).status).toBe(200);
  const text = await (await fetch(`${service.url}/metrics`, { headers: who('ada') })).text();
  expect(text).toMatch(/concord_rate_limited_total\{policy="method"\} 1/);
});

test('a subscription of GraphQL counts as a call, over a socket and as an event stream', async () => {
  const { authorization } = who('sue');
  const url = `${service.url.replace('http', 'ws')}/graphql`;
  const socket = createClient({ url, webSocketImpl: WebSocket, connectionParams: { authorization } });
  const subscription = { query: 'subscription { statementChanged { op } }' };
  const first = socket.iterate(subscription);
  const refused = socket.iterate(subscription).next();
  first.next().catch(() => {});
  const data = { reason: 'rate-limited', policy: 'method', limit: 1 };
  expect(await refused.catch((errors) => errors)).toMatchObject([{ extensions: data }]);
  const init = { method: 'POST', headers: { 'content-type': 'application/json', accept: 'text/event-stream' } };
  const headers = { ...init.headers, authorization };
  const stream = await fetch(`${service.url}/graphql`, { ...init, headers, body: JSON.stringify(subscription) });
  expect(await stream.text()).toContain('"reason":"rate-limited"');
  await socket.dispose();
});

test('an address is counted before anybody looks who calls; its probes are not, nor what another claims', async () => {
  const from = (address: string) => post(query, { 'x-forwarded-for': address }, '/a2a', byAddress);
  for (let times = 0; times < 5; times++) expect((await from('198.51.100.7')).status).toBe(401);
  const refused = await from('10.9.9.9, 198.51.100.7');
  expect(refused).toMatchObject({ status: 429, limits: ['"address";q=5;w=60', '"address";r=0;t=N'] });
  expect(refused.answer).toMatchObject({ error: { data: { reason: 'rate-limited', policy: 'address' } } });
  expect((await from('198.51.100.8')).status).toBe(401);
  const init = { headers: { 'x-forwarded-for': '198.51.100.7' } };
  expect((await fetch(`${byAddress.url}/healthz`, init)).status).toBe(200);
  expect((await fetch(`${byAddress.url}/.well-known/agent-card.json`, init)).status).toBe(429);
});

test('a window begins with the first request and ends in time; a quota lasts a day', async () => {
  let now = 0;
  const config = readConfig({ QUOTA_PER_DAY: '3', RATE_LIMIT_METHODS: 'x=2' });
  const limits = new RateLimits(config, createInstruments(), () => now);
  const nora = { tenant: 'north', agentId: 'nora', scopes: new Set<never>() };
  const admit = (method = 'x') => limits.admitCall(nora, method);
  await admit();
  await admit();
  await expect(admit()).rejects.toThrow('The limit of 2 requests in 60 s');
  now = 59_999;
  await expect(admit()).rejects.toMatchObject({ data: { retryAfterMs: 1 } });
  now = 60_000;
  // What the method refused the day hasn't counted.
  await admit();
  await expect(admit('y')).rejects.toMatchObject({ data: { reason: 'quota-used' } });
  now = 86_400_000;
  await admit('y');
});

test.each(['agents/list', 'agents/list=0', 'agents/list=many', '=5', 'a=1=2'])(
  'RATE_LIMIT_METHODS=%s is refused',
  (text) => {
    expect(() => readConfig({ RATE_LIMIT_METHODS: text })).toThrow('is not method=requests');
  },
);

test('a name is no trusted proxy', () => {
  expect(() => readConfig({ TRUSTED_PROXIES: 'proxy.internal' })).toThrow('is no address');
});
