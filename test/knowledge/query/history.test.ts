import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { QueryResult } from '../../../src/knowledge/query/query.ts';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { bearerOf, identities } from '../../support/identities.ts';
import { add, remove, replace, schemaOrg, world } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { useFolder, useService } from '../../support/setUp.ts';

const population = `${world}population`;
const capital = `${world}capital`;
const symbol = `${world}symbol`;
const currency = `${world}Currency`;
const che = 'urn:c:che';
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const closed = [{ rule: 'no-capitals', predicates: [capital], classes: [currency], to: { agents: ['outsider'] } }];
const folder = useFolder({ 'policy.json': JSON.stringify({ closed }) });
const service = useService({ ...identities, POLICY: join(folder, 'policy.json'), CYPHER: 'true' });
/** Moments after each of the updates. */
const after: string[] = [];

beforeAll(async () => {
  await update(
    [
      add(che, `${schemaOrg}name`, 'Switzerland', { type: `${schemaOrg}Country` }),
      add(che, population, 8_000_000, { certainty: 0.5, provenance: { source: 'guess' } }),
      add(che, `${world}currency`, { id: 'urn:chf', type: currency }),
      add('urn:chf', symbol, 'Fr.'),
      add(che, capital, { id: 'urn:c:zurich' }),
      add(che, 'urn:secret', 'gold', { graph: 'urn:g:vault' }),
    ],
    { justification: 'first look', taskId: 'task-1', sessionId: 'session-1' },
    { traceparent },
  );
  await update([
    add(che, population, 8_000_000, { certainty: 0.7 }),
    replace(che, capital, { id: 'urn:c:bern' }),
    remove(che, 'urn:secret', 'gold'),
    replace(che, 'urn:secret', 'silver', { graph: 'urn:g:vault' }),
  ]);
  await update([replace(che, population, 9_000_000)], { justification: 'census of 2024', taskId: 'task-2' });
  await update([remove(che, population, 9_000_000)], { justification: 'withdrawn' });
});

const bearer = (agent: string, claims: object = {}) =>
  bearerOf({ tenant: 'north', sub: agent, scope: 'knowledge:query knowledge:update', ...claims });
const asAtlas = bearer('atlas');

async function update(mutations: object[], rest: object = {}, headers: Record<string, string> = {}) {
  const params = { mutations, ...rest };
  const { result } = await call<UpdateResult>(service.url, 'knowledge/update', params, {
    ...asAtlas,
    ...headers,
  });
  expect(result.success).toBe(true);
  // Versions are told apart by the millisecond.
  await new Promise((resolve) => setTimeout(resolve, 5));
  after.push(new Date().toISOString());
  await new Promise((resolve) => setTimeout(resolve, 5));
}

const ask = (query: string, rest: object = {}, headers = asAtlas) =>
  call<QueryResult>(service.url, 'knowledge/query', { query, ...rest }, headers);

interface Version extends Record<string, unknown> {
  object: Record<string, unknown>;
  recordedAt: string;
  update: { proposedAt: string };
}

async function history(args: string, rest: object = {}, headers = asAtlas, fields = allFields) {
  const { result, error } = await ask(`{ history(${args}) { ${fields} } }`, rest, headers);
  if (error) throw new Error(error.message);
  return result.data?.history as Version[];
}
const ofUpdate = '{ id sourceAgentId justification taskId sessionId traceId proposedAt revision }';
const allFields = `id subject predicate object { id value type } graph certainty provenance sourceAgentId taskId updateId observedAt
  recordedAt revision retractedAt retractedBy retractedRevision update ${ofUpdate} retraction ${ofUpdate}`;

async function statements(args: string, rest: object = {}, headers = asAtlas, id = che) {
  const { result, error } = await ask(
    `{ entities(where: {id: {eq: "${id}"}}) { statements${args} { predicate object { id value } certainty } } }`,
    rest,
    headers,
  );
  if (error) throw new Error(error.message);
  const [entity] = (result.data?.entities ?? []) as { statements: { object: object }[] }[];
  return entity?.statements.map(({ object }) => Object.values(object).find((each) => each !== null));
}
const populations = (at: string) => `(predicate: ["${population}"], asOf: "${at}")`;

test('lists every version of what was said, newest first, with who made and who ended it and why', async () => {
  const versions = await history(`subject: "${che}", predicate: "${population}"`);
  expect(versions.map(({ object, certainty, revision }) => [object.value, certainty, revision])).toEqual([
    [9_000_000, null, 3],
    [8_000_000, 0.7, 2],
    [8_000_000, 0.5, 1],
  ]);
  const [last, revised, first] = versions;
  expect(first).toMatchObject({
    subject: che,
    predicate: population,
    provenance: { source: 'guess' },
    sourceAgentId: 'atlas',
    taskId: 'task-1',
    retractedBy: 'atlas',
    retractedRevision: 2,
    retractedAt: revised?.recordedAt,
    update: {
      id: first?.updateId,
      sourceAgentId: 'atlas',
      justification: 'first look',
      taskId: 'task-1',
      sessionId: 'session-1',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      revision: 1,
    },
    retraction: { id: revised?.updateId, justification: null, revision: 2 },
  });
  expect(revised?.id).toBe(first?.id);
  expect(revised?.retraction).toMatchObject({ justification: 'census of 2024', taskId: 'task-2' });
  expect(last?.retraction).toMatchObject({ justification: 'withdrawn', taskId: null });
  expect(Date.parse(first?.update?.proposedAt ?? '')).toBeLessThanOrEqual(Date.parse(first?.recordedAt ?? ''));
});

test('what holds has no end', async () => {
  const [version, ...others] = await history(`subject: "${che}", predicate: "${schemaOrg}name"`);
  expect(others).toEqual([]);
  expect(version).toMatchObject({ retractedAt: null, retractedBy: null, retraction: null });
});

test('comes in pages, of all predicates', async () => {
  const whole = await history(`subject: "${che}"`);
  expect(whole).toHaveLength(9);
  const pages = [
    await history(`subject: "${che}", first: 4`),
    await history(`subject: "${che}", first: 10, offset: 4`),
  ];
  expect(pages.flat()).toEqual(whole);
  const { error } = await ask(`{ history(subject: "${che}", first: -1) { id } }`);
  expect(error).toMatchObject({ code: -32010, data: { reason: 'bad-argument' } });
});

test('tells as of then what was known then', async () => {
  const versions = await history(`subject: "${che}", predicate: "${population}"`, {
    metadata: { asOf: after[1] },
  });
  expect(versions.map(({ certainty, retractedBy }) => [certainty, retractedBy])).toEqual([
    [0.7, null],
    [0.5, 'atlas'],
  ]);
  expect(versions[0]).toMatchObject({ retraction: null, retractedRevision: null });
});

test('tells how many versions it rests on', async () => {
  const text = `{ history(subject: "${che}", predicate: "${population}") { id } }`;
  const { result } = await ask(text, { metadata: { consulted: true } });
  expect(result.queryMetadata).toMatchObject({ usedIndex: true, consulted: { statements: 2 } });
});

test('holds to the certainty and the age that are asked', async () => {
  const certain = await history(`subject: "${che}", predicate: "${population}"`, { requiredCertainty: 0.6 });
  expect(certain.map(({ revision }) => revision)).toEqual([3, 2]);
});

test('shows nobody another tenant, a graph that is not theirs, or what is closed to them', async () => {
  const objects = async (headers: { authorization: string }) =>
    new Set((await history(`subject: "${che}"`, {}, headers)).map(({ object }) => object.id ?? object.value));
  expect(await history(`subject: "${che}"`, {}, bearer('atlas', { tenant: 'south' }))).toEqual([]);
  expect(await objects(bearer('clerk', { graphs: 'urn:g:vault' }))).toEqual(new Set(['gold', 'silver']));
  expect(await objects(bearer('clerk', { graphs: 'default' }))).toEqual(
    new Set(['Switzerland', 8_000_000, 9_000_000, 'urn:chf', 'urn:c:zurich', 'urn:c:bern']),
  );
  expect(await objects(bearer('outsider'))).toEqual(new Set(['Switzerland', 8_000_000, 9_000_000, 'gold', 'silver']));
  expect(await history('subject: "urn:chf"', {}, bearer('outsider'))).toEqual([]);
  const named = await ask(`{ history(subject: "${che}", predicate: "${capital}") { id } }`, {}, bearer('outsider'));
  expect(named.error).toMatchObject({ code: -32013, data: { reason: 'closed-predicate' } });
});

test('is served to tools over GraphQL', async () => {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...asAtlas },
    body: JSON.stringify({
      query: `{ history(subject: "${che}", predicate: "${population}") { certainty } }`,
    }),
  });
  expect(await response.json()).toEqual({
    data: { history: [{ certainty: null }, { certainty: 0.7 }, { certainty: 0.5 }] },
  });
});

test('statements are read as of a point in time, each field as of its own', async () => {
  const [first = '', second = '', third = '', last = ''] = after;
  expect(await statements(populations('2020-01-01T00:00:00Z'))).toEqual([]);
  expect(await statements(populations(first))).toEqual([8_000_000]);
  expect(await statements(populations(third))).toEqual([9_000_000]);
  expect(await statements(populations(last))).toEqual([]);
  expect(await statements(`(predicate: ["${population}"])`)).toEqual([]);
  const both = await ask(
    `query ($past: DateTime) { entities(where: {id: {eq: "${che}"}}) {
      old: statements(predicate: ["${capital}"], asOf: $past) { object { id } }
      now: statements(predicate: ["${capital}"]) { object { id } } } }`,
    { variables: { past: first } },
  );
  expect(both.result.data).toEqual({
    entities: [{ old: [{ object: { id: 'urn:c:zurich' } }], now: [{ object: { id: 'urn:c:bern' } }] }],
  });
  const incoming = await ask(
    `{ entities(where: {id: {eq: "urn:c:zurich"}}) {
      now: incomingStatements { subject } old: incomingStatements(asOf: "${first}") { subject } } }`,
  );
  expect(incoming.result.data).toEqual({ entities: [{ now: [], old: [{ subject: che }] }] });
  // The field's own point in time stands over that of the query.
  expect(await statements(populations(first), { metadata: { asOf: second } })).toEqual([8_000_000]);
  expect(await statements(`(predicate: ["${population}"])`, { metadata: { asOf: third } })).toEqual([9_000_000]);
});

test('statements as of a point in time hold to every other condition', async () => {
  const [first = '', second = ''] = after;
  expect(await statements(populations(first), { requiredCertainty: 0.6 })).toEqual([]);
  expect(await statements(populations(second), { requiredCertainty: 0.6 })).toEqual([8_000_000]);
  expect(await statements(populations(first), { maxAgeSeconds: 0 })).toBeUndefined();
  const all = `(asOf: "${first}")`;
  expect(await statements(all)).toHaveLength(5);
  expect(await statements(all, {}, bearer('clerk', { graphs: 'urn:g:vault' }))).toEqual(['gold']);
  expect(new Set(await statements(all, {}, bearer('outsider')))).toEqual(new Set(['Switzerland', 8_000_000, 'gold']));
  expect(await statements(all, {}, bearer('atlas', { tenant: 'south' }))).toBeUndefined();
});

test('Cypher of an agent cannot read the past by the form that the schema uses', async () => {
  const cypher = (query: string) => ask(query, { queryLanguage: 'cypher', variables: { at: after[0] } });
  const forms = [
    'MATCH (e:Entity)-[s WHERE $at IS NULL OR s.__concordAsOf = $at]->(o) RETURN s.statementId AS id',
    'MATCH (e:Entity)-[s WHERE $at IS NULL OR s.`__concordAsOf` = $at]->(o) RETURN s.statementId AS id',
    'MATCH (e:Entity)-[s WHERE s.__concordAsOf = $at]->(o) RETURN s.statementId AS id',
  ];
  for (const form of forms) {
    const { error } = await cypher(form);
    expect(error).toMatchObject({ code: -32010, data: { reason: 'refused-cypher' } });
  }
  const inert = await cypher(
    'MATCH (e:Entity)-[s WHERE NULL IS NULL OR s.__concordAsOf = NULL]->(o) RETURN s.retractedAt AS ended',
  );
  const rows = inert.result.data?.rows as { ended: unknown }[];
  expect(rows).toHaveLength(5);
  expect(rows.every(({ ended }) => ended === null)).toBe(true);
});
