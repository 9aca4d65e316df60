import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { type Client, createClient } from 'graphql-sse';
import { bearerOf, identities } from '../support/identities.ts';
import { add, schemaOrg } from '../support/patches.ts';
import { call, startServiceOnGraph } from '../support/service.ts';
import { useService } from '../support/setUp.ts';
import { until } from './subscriber.ts';

const name = `${schemaOrg}name`;
const origin = 'https://page.test';
const settings = {
  ...identities,
  CORS_ALLOWED_ORIGINS: origin,
  OPERATIONS_PORT: '0',
  SUBSCRIPTION_MAX_CONCURRENT: '3',
  SUBSCRIBER_BUFFER: '50',
  HEARTBEAT_MS: '300',
};
const service = useService(settings);
const clients: Client[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.dispose();
});

const north = { tenant: 'north', sub: 'nora' };
const update = async (mutations: object[], who: object = north) => {
  const { error } = await call(service.url, 'knowledge/update', { mutations }, bearerOf(who));
  if (error) throw new Error(error.message);
};

interface Result {
  data?: Record<string, unknown>;
  errors?: { message: string; extensions: Record<string, unknown> }[];
}

/** What an operation has got by the client of another house, and whether it was told that there is no more. */
function run(query: string, { who = north, url = service.url, ...rest }: Record<string, unknown> = {}) {
  const { headers, ...params } = rest as { headers?: Record<string, string>; variables?: Record<string, unknown> };
  const client = createClient({
    url: `${url}/graphql`,
    headers: { ...bearerOf(who as object), ...headers },
    retryAttempts: 0,
  });
  clients.push(client);
  const got = { results: [] as Result[], completed: false, failure: undefined as unknown, stop: () => {} };
  got.stop = client.subscribe(
    { query, ...params },
    {
      next: (result) => got.results.push(result as Result),
      error: (error) => {
        got.failure = error;
      },
      complete: () => {
        got.completed = true;
      },
    },
  );
  return got;
}

const changed = (subject: string, fields = 'op statement { object { value } }') =>
  `subscription { statementChanged(where: { subject: { in: ["${subject}", "urn:touched"] } }) { ${fields} } }`;

async function openSubscriptions(): Promise<number> {
  const metrics = await (await fetch(`${service.operations}/metrics`)).text();
  return Number(/^concord_open_subscriptions(?:\{[^}]*\})? (\S+)/m.exec(metrics)?.[1] ?? 0);
}

/** Settles once a stream is seen to stand: by a change of its own that has arrived. */
let touches = 0;
async function standing(got: ReturnType<typeof run>, who: object = north): Promise<void> {
  await until(async () => {
    if (got.failure) throw got.failure;
    touches += 1;
    await update([add('urn:touched', 'urn:p:touched', touches)], who);
    return got.results.length > 0;
  });
  got.results.length = 0;
}

test('changes come as the fields that are selected, to the client of graphql-sse', async () => {
  const got = run(
    `subscription Changes($subject: String!) {
      statementChanged(where: { subject: { in: [$subject, "urn:touched"] } }) { op statement { object { value } } }
    }`,
    { variables: { subject: 'urn:a' } },
  );
  await standing(got);
  await update([add('urn:b', name, 'no'), add('urn:a', name, 'Atlantis')]);
  await update([add('urn:a', name, 'secret')], { tenant: 'south', sub: 'sam' });
  const values = () => JSON.stringify(got.results);
  await until(() => values().includes('Atlantis'));
  expect(got.results).toContainEqual({
    data: { statementChanged: { op: 'add', statement: { object: { value: 'Atlantis' } } } },
  });
  expect(values()).not.toMatch(/"no"|secret/);
  expect(got.completed).toBe(false);
  got.stop();
  await until(async () => (await openSubscriptions()) === 0);
});

test('a query has one result, with its faults as over HTTP, and is complete', async () => {
  await update([add('urn:c', name, 'Mu', { type: `${schemaOrg}Country`, certainty: 0.4 })]);
  const query = '{ countries(where: { id: { eq: "urn:c" } }) { name } }';
  const all = run(query);
  const bounded = run(query, { headers: { 'x-required-certainty': '0.9' } });
  const faulty = run('{ nothing }');
  const unread = run('{');
  const forbidden = run(query, { who: { ...north, scope: 'knowledge:subscribe' } });
  await until(() => [all, bounded, faulty, unread, forbidden].every(({ completed }) => completed));
  expect(all.results).toEqual([{ data: { countries: [{ name: 'Mu' }] } }]);
  expect(bounded.results).toEqual([{ data: { countries: [] } }]);
  expect(faulty.results[0]?.errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  expect(unread.results[0]?.errors?.[0]?.extensions.code).toBe('GRAPHQL_PARSE_FAILED');
  expect(forbidden.results[0]?.errors?.[0]?.extensions.reason).toBe('missing-scope');
});

test('a mutation is refused in the words of the methods, and not as a fault of the service', async () => {
  const got = run('mutation { nothing }');
  await until(() => got.completed);
  expect(got.results[0]?.errors?.[0]).toMatchObject({
    message: expect.stringContaining('knowledge/update'),
    extensions: { code: -32010, reason: 'operation' },
  });
});

test('a query that is refused for its caller or its headers is told with its code, and nothing of HTTP', async () => {
  const query = '{ countries { name } }';
  const forbidden = run(query, { who: { ...north, scope: 'knowledge:subscribe' } });
  const faulty = run(query, { headers: { 'x-required-certainty': '7' } });
  await until(() => forbidden.completed && faulty.completed);
  expect(forbidden.results[0]?.errors?.[0]?.extensions).toEqual({
    code: expect.any(Number),
    reason: 'missing-scope',
    retryable: false,
  });
  expect(faulty.results[0]?.errors?.[0]?.extensions).toEqual({
    code: -32602,
    reason: 'invalid-params',
    issues: [expect.objectContaining({ path: 'x-required-certainty' })],
  });
});

test('what cannot be followed is told as a result, with the code and the reason', async () => {
  const cases: [string, Record<string, unknown>, string][] = [
    ['subscription { nothing }', {}, 'validation'],
    ['subscription { statementChanged(afterSequence: 1000000) { op } }', {}, 'cursor-ahead'],
    [changed('urn:a'), { who: { ...north, scope: 'knowledge:query' } }, 'missing-scope'],
    [changed('urn:a'), { variables: 7 }, 'invalid-params'],
    [changed('urn:a'), { headers: { 'x-required-certainty': '7' } }, 'invalid-params'],
  ];
  for (const [query, rest, reason] of cases) {
    const got = run(query, rest);
    await until(() => got.completed);
    expect(got.results.map(({ errors }) => errors?.[0]?.extensions.reason)).toEqual([reason]);
  }
});

test('its bounds are the headers of a query', async () => {
  const got = run(changed('urn:bounded'), { headers: { 'x-required-certainty': '0.8' } });
  await standing(got);
  await update([add('urn:bounded', name, 'maybe', { certainty: 0.5 })]);
  await update([add('urn:bounded', name, 'surely', { certainty: 0.9 })]);
  await until(() => JSON.stringify(got.results).includes('surely'));
  expect(JSON.stringify(got.results)).not.toContain('maybe');
});

test('a stream counts among the subscriptions of its agent, and says so where there are too many', async () => {
  await until(async () => (await openSubscriptions()) === 0);
  const who = { tenant: 'many', sub: 'max' };
  const open = Array.from({ length: 3 }, () => run(changed('urn:none'), { who }));
  await until(async () => (await openSubscriptions()) === 3);
  const more = run(changed('urn:none'), { who });
  await until(() => more.completed);
  expect(more.results[0]?.errors?.[0]?.extensions).toMatchObject({ reason: 'too-many-subscriptions', limit: 3 });
  open[0]?.stop();
  await until(async () => (await openSubscriptions()) === 2);
  await standing(run(changed('urn:none'), { who }), who);
});

const post = (body: object, headers: Record<string, string>) =>
  fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify(body),
  });

test('what stands between must neither keep nor change it, and a page may read it', async () => {
  const response = await post({ query: changed('urn:none') }, { ...bearerOf(north), origin });
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'access-control-allow-origin': origin,
  });
  // A quiet stream shows that it lives.
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  expect(Buffer.from(value ?? []).toString()).toBe(': heartbeat\n');
  await reader?.cancel();
});

test('who is not known is refused before there is a stream', async () => {
  const response = await post({ query: changed('urn:none') }, { authorization: 'Bearer none' });
  expect(response.status).toBe(401);
  expect(response.headers.get('content-type')).toMatch(/json/);
});

test('who takes JSON rather than a stream is told where subscriptions are', async () => {
  const response = await post({ query: changed('urn:none') }, { ...bearerOf(north), accept: 'application/json' });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ message: expect.stringContaining('text/event-stream') }] });
});

test('a service that shuts down ends its streams with the reason, and the cursor to go on after', async () => {
  const other = await startServiceOnGraph(settings);
  const got = run(changed('urn:none', 'sequence'), { url: other.url });
  await standing(got);
  await update([add('urn:touched', name, 'last')]);
  await until(() => got.results.length > 0);
  const last = got.results.at(-1)?.data?.statementChanged as { sequence: number };
  await other.close();
  await until(() => got.completed);
  expect(got.results.at(-1)?.errors?.[0]?.extensions).toMatchObject({ reason: 'draining', cursor: last.sequence });
});

test('who does not read is cut off, and holds up nobody else', async () => {
  await until(async () => (await openSubscriptions()) === 0);
  const body = JSON.stringify({ query: changed('urn:long') });
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.pause();
  const { authorization } = bearerOf(north);
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\nAccept: text/event-stream\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until(async () => (await openSubscriptions()) === 1);
  const quick = run(changed('urn:long', 'statement { predicate }'));
  await standing(quick);
  const long = 'x'.repeat(900_000);
  for (let n = 0; n < 12; n += 1) await update([add('urn:long', 'urn:p:long', `${n}${long}`)]);
  await until(() => quick.failure !== undefined || quick.results.length >= 12);
  expect(quick).toMatchObject({ completed: false, failure: undefined });
  await until(async () => (await openSubscriptions()) === 1);
  socket.destroy();
});
