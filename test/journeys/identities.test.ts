import { expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import type { QueryResult } from '../../src/knowledge/query/query.ts';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';
import { concord } from '../cli/command.ts';
import { follow } from '../support/events.ts';
import { identities, tokenOf } from '../support/identities.ts';
import { add, schemaOrg, world } from '../support/patches.ts';
import type { Answer } from '../support/service.ts';
import { useService } from '../support/setUp.ts';

const everything = 'knowledge:query knowledge:update knowledge:subscribe knowledge:review';
const everyChange = { subscriptionQuery: 'subscription { statementChanged { op } }' };

const service = useService({ ...identities, OPERATIONS_PORT: '0' });

const token = (claims: object, options?: jwt.SignOptions) => tokenOf({ scope: everything, ...claims }, options);

const north = token({ tenant: 'north', sub: 'nora' });
const south = token({ tenant: 'south', sub: 'sam' });
const onlyPublic = token({ tenant: 'north', sub: 'pete', graphs: ['urn:g:public'] });

async function send<Result = Record<string, unknown>>(bearer: string | undefined, method: string, params: object) {
  const response = await fetch(`${service.url}/a2a`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return { status: response.status, ...((await response.json()) as Answer<Result>) };
}
const update = (bearer: string, mutations: object[], rest = {}) =>
  send<UpdateResult>(bearer, 'knowledge/update', { mutations, ...rest });
const query = (bearer: string, text: string, rest = {}) =>
  send<QueryResult>(bearer, 'knowledge/query', { query: text, ...rest });

test('nobody is served without credentials, and with bad ones each is told why', async () => {
  const bad = {
    missing: undefined,
    expired: token({ tenant: 'north', sub: 'nora' }, { expiresIn: -120 }),
    'wrong-issuer': token({ tenant: 'north', sub: 'nora' }, { issuer: 'https://elsewhere.test' }),
    'wrong-audience': token({ tenant: 'north', sub: 'nora' }, { audience: 'others' }),
    unsigned: jwt.sign({ tenant: 'north', sub: 'nora' }, '', { algorithm: 'none' }),
    'bad-signature': `${north.slice(0, -4)}AAAA`,
  };
  for (const [reason, bearer] of Object.entries(bad)) {
    const { status, error } = await send(bearer, 'knowledge/query', { query: '{ __typename }' });
    expect([status, error?.data.reason]).toEqual([401, reason]);
  }
  expect((await send(token({ sub: 'nora' }), 'knowledge/query', { query: '{ __typename }' })).status).toBe(403);
  const metrics = await (await fetch(`${service.operations}/metrics`)).text();
  expect(metrics).toMatch(/concord_authentication_failures_total\{reason="expired"\} [1-9]/);
});

test('the token may stand in metadata, for agents that cannot set headers', async () => {
  const { status, result } = await send(undefined, 'knowledge/query', {
    query: '{ __typename }',
    metadata: { token: north },
  });
  expect([status, result]).toEqual([200, expect.objectContaining({ data: { __typename: 'Query' } })]);
});

test('tenants share nothing: neither entities, nor statements, nor changes, nor revisions', async () => {
  const about = 'urn:shared:id';
  const ofNorth = await update(north, [add(about, `${schemaOrg}name`, 'north', { type: `${schemaOrg}City` })]);
  const follower = await follow(service.url, everyChange, { authorization: `Bearer ${south}` });
  const ofSouth = await update(south, [add(about, `${schemaOrg}name`, 'south', { type: `${schemaOrg}City` })]);
  expect([ofNorth.result.revision, ofSouth.result.revision]).toEqual([1, 1]);
  const text = '{ cities { name statements { sourceAgentId object { value } } } entities { id } }';
  expect((await query(south, text)).result.data).toEqual({
    cities: [{ name: 'south', statements: [{ sourceAgentId: 'sam', object: { value: 'south' } }] }],
    entities: [{ id: about }],
  });
  await update(north, [add('urn:north:only', `${schemaOrg}name`, 'hidden')]);
  await update(south, [add('urn:south:last', `${schemaOrg}name`, 'seen')]);
  await follower.until(2);
  expect(follower.events.map(({ statement }) => statement.subject.id)).toEqual([about, 'urn:south:last']);
  follower.close();
});

test('an agent speaks for itself only, and does what its scopes allow', async () => {
  const foreign = await update(north, [add('urn:x', `${schemaOrg}name`, 'x')], { sourceAgentId: 'sam' });
  expect(foreign.error).toMatchObject({ code: -32011, data: { reason: 'foreign-agent' } });
  const reader = token({ tenant: 'north', sub: 'rita', scope: 'knowledge:query' });
  expect((await update(reader, [add('urn:x', `${schemaOrg}name`, 'x')])).error?.data.reason).toBe('missing-scope');
  const writer = token({ tenant: 'north', sub: 'will', scope: 'knowledge:query knowledge:update' });
  expect((await send(writer, 'knowledge/review', { action: 'list' })).error?.data.reason).toBe('missing-scope');
});

test('a closed graph is not there: not to be read, written or followed', async () => {
  const subject = 'urn:graphs:subject';
  const type = `${schemaOrg}Country`;
  await update(north, [
    add(subject, `${schemaOrg}name`, 'secret name', { type, graph: 'urn:g:secret' }),
    add(subject, `${schemaOrg}name`, 'public name', { type, graph: 'urn:g:public', certainty: 0.4 }),
    add('urn:graphs:hidden', `${schemaOrg}name`, 'nobody', { type, graph: 'urn:g:secret' }),
  ]);
  const text = '{ countries { id name statements { graph } } countriesConnection { aggregate { count { nodes } } } }';
  expect((await query(onlyPublic, text)).result.data).toEqual({
    countries: [{ id: subject, name: 'public name', statements: [{ graph: 'urn:g:public' }] }],
    countriesConnection: { aggregate: { count: { nodes: 1 } } },
  });
  const written = await update(onlyPublic, [add(subject, `${schemaOrg}name`, 'x', { graph: 'urn:g:secret' })]);
  expect(written.error?.data.reason).toBe('closed-graph');
  const reviewed = await send(onlyPublic, 'knowledge/review', { action: 'list' });
  expect(reviewed.error?.data.reason).toBe('limited-graphs');
  const follower = await follow(service.url, everyChange, { authorization: `Bearer ${onlyPublic}` });
  await update(north, [add(subject, `${world}region`, 'secret', { graph: 'urn:g:secret' })]);
  await update(north, [add(subject, `${world}region`, 'public', { graph: 'urn:g:public' })]);
  await follower.until(1);
  expect(follower.events[0]?.statement.graph).toBe('urn:g:public');
  follower.close();
});

test('a query reads only what is certain, young and recorded enough', async () => {
  const subject = 'urn:conditions:subject';
  const old = { provenance: { timestamp: '2001-01-01T00:00:00Z' } };
  await update(north, [
    add(subject, `${schemaOrg}name`, 'old and certain', { type: `${schemaOrg}Language`, ...old }),
    add(subject, `${schemaOrg}name`, 'new and doubtful', { certainty: 0.3 }),
  ]);
  const text = '{ languages { name statements { object { value } } } }';
  const names = async (rest: object) => {
    const { data } = (await query(north, text, rest)).result;
    return (data as { languages: { name: string }[] }).languages.map(({ name }) => name);
  };
  expect(await names({})).toEqual(['old and certain']);
  expect(await names({ maxAgeSeconds: 3_600 })).toEqual(['new and doubtful']);
  expect(await names({ requiredCertainty: 0.9, maxAgeSeconds: 3_600 })).toEqual([]);
  const before = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await update(north, [
    add(subject, `${schemaOrg}name`, 'newest', {
      certainty: 1,
      provenance: { timestamp: new Date().toISOString() },
    }),
  ]);
  expect(await names({})).toEqual(['newest']);
  expect(await names({ metadata: { asOf: before } })).toEqual(['old and certain']);
  const { queryMetadata } = (await query(north, text, { requiredCertainty: 0.9 })).result;
  expect(queryMetadata.conditions).toEqual({ requiredCertainty: 0.9 });
});

test('Cypher is taken from others than the local principal only where the operator says so', async () => {
  const { error } = await query(north, 'RETURN 1 AS one', { queryLanguage: 'cypher' });
  expect(error).toMatchObject({
    code: -32010,
    data: { reason: 'unsupported-language', supported: ['graphql'] },
  });
});

test('GraphQL over HTTP knows the same principals and conditions', async () => {
  const ask = async (headers: Record<string, string>) => {
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: '{ cities { name } }' }),
    });
    return { status: response.status, body: await response.json() };
  };
  expect((await ask({})).status).toBe(401);
  expect(await ask({ authorization: `Bearer ${south}` })).toEqual({
    status: 200,
    body: { data: { cities: [{ name: 'south' }] } },
  });
  expect((await ask({ authorization: `Bearer ${south}`, 'x-required-certainty': '2' })).status).toBe(400);
});

test("'concord status' tells the revision of the caller's graph, where nobody may ask in Cypher", async () => {
  await update(south, [add('urn:status', `${schemaOrg}name`, 'a')]);
  const { code, printed } = await concord(['status', '--json', '--token', south], { url: service.url });
  expect(code).toBe(0);
  expect(JSON.parse(printed)).toMatchObject({ status: 'ready', revision: expect.any(Number) });
});
