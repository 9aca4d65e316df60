import { expect, test } from '@jest/globals';
import { bearerOf, identities } from '../support/identities.ts';
import { schemaOrg } from '../support/patches.ts';
import type { Answer } from '../support/service.ts';
import { useService } from '../support/setUp.ts';

const service = useService(identities);

const who = (scope: string, more: object = {}) => bearerOf({ tenant: 'north', sub: 'nora', scope, ...more });
const admin = bearerOf({ tenant: 'north', sub: 'ada' });

async function post(body: object, headers: Record<string, string>, path = '/a2a') {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  const response = await fetch(`${service.url}${path}`, { ...init, body: JSON.stringify(body) });
  return { status: response.status, answer: (await response.json()) as Answer };
}

const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 7, method, params });
const statement = (graph?: string) => ({
  subject: { id: 'urn:refused' },
  predicate: { id: `${schemaOrg}name` },
  object: { value: 'x' },
  ...(graph && { graph }),
});
const update = (more: object = {}, graph?: string) =>
  rpc('knowledge/update', { mutations: [{ op: 'add', statement: statement(graph) }], ...more });
const query = rpc('knowledge/query', { queryLanguage: 'graphql', query: '{ __typename }' });

/** How many were refused for a reason so far. */
async function counted(reason: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`, { headers: admin })).text();
  return Number(new RegExp(`authentication_failures_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
}

test.each<[string, object, string, object, number, string]>([
  ['an update without its scope', update(), 'knowledge:query', {}, -32011, 'missing-scope'],
  ['a query without its scope', query, 'knowledge:update', {}, -32010, 'missing-scope'],
  [
    'a stream without its scope',
    rpc('knowledge/subscribe', { subscriptionQuery: 'subscription { statementChanged { op } }' }),
    'tasks',
    {},
    -32012,
    'missing-scope',
  ],
  ['the registry without its scope', rpc('agents/list', {}), 'tasks', {}, -32600, 'missing-scope'],
  ['an update for another agent', update({ sourceAgentId: 'sam' }), 'knowledge:update', {}, -32011, 'foreign-agent'],
  [
    'an update of a closed graph',
    update({}, 'urn:g:secret'),
    'knowledge:update',
    { graphs: ['default'] },
    -32011,
    'closed-graph',
  ],
])('%s is answered with 403, the JSON-RPC error, and counted once', async (_, body, scope, claims, code, reason) => {
  const before = await counted(reason);
  const { status, answer } = await post(body, who(scope, claims));
  expect(status).toBe(403);
  expect(answer).toMatchObject({ id: 7, error: { code, data: { reason, retryable: false } } });
  expect((await counted(reason)) - before).toBe(1);
});

test('GraphQL and the metrics count who lacks their scope, and who is not known is counted once', async () => {
  const before = await counted('missing-scope');
  expect((await post({ query: '{ __typename }' }, who('tasks'), '/graphql')).status).toBe(403);
  expect((await fetch(`${service.url}/metrics`, { headers: who('tasks') })).status).toBe(403);
  expect((await counted('missing-scope')) - before).toBe(2);
  const unsigned = await counted('missing');
  expect((await post(query, {})).status).toBe(401);
  expect((await counted('missing')) - unsigned).toBe(1);
});

test('in a batch, and of a task, the refusal stands in the body: clients of A2A read no other', async () => {
  const batch = await post([query, update()], who('knowledge:query'));
  expect(batch.status).toBe(200);
  expect(batch.answer).toMatchObject([{ result: {} }, { error: { data: { reason: 'missing-scope' } } }]);
  const task = await post(rpc('ListTasks', {}), { ...who('knowledge:query'), 'A2A-Version': '1.0' });
  expect(task.status).toBe(200);
  expect(task.answer.error).toMatchObject({ code: -32600, data: { reason: 'missing-scope' } });
});

test('metrics tell what runs, what waits, and what is under way', async () => {
  const text = await (await fetch(`${service.url}/metrics`, { headers: admin })).text();
  expect(text).toMatch(/concord_build_info\{version="\d+\.\d+\.\d+",node="v\d+[^"]*"\} 1/);
  for (const name of ['updates_waiting', 'queries_in_flight', 'slow_subscribers', 'neo4j_sessions'])
    expect(text).toMatch(new RegExp(`^concord_${name} \\d+$`, 'm'));
  expect(text).toMatch(/^concord_neo4j_connections_most \d\d+$/m);
});

test('who is refused is told where to read who issues tokens, and for what', async () => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(query) };
  const doors = ['/a2a', '/a2a/v1/message:send', '/a2a/query/rpc', '/tasks/send', '/a2a/messages'];
  const challenges = await Promise.all(
    doors.map(async (path) => (await fetch(`${service.url}${path}`, init)).headers.get('www-authenticate')),
  );
  const address = `${service.url}/.well-known/oauth-protected-resource`;
  expect(challenges).toEqual(doors.map(() => `Bearer realm="concord", resource_metadata="${address}"`));
  expect(await (await fetch(address)).json()).toEqual({
    resource: service.url,
    authorization_servers: ['https://issuer.test'],
    scopes_supported: expect.arrayContaining(['knowledge:query', 'admin']),
    bearer_methods_supported: ['header'],
    resource_name: 'Concord',
  });
});
