import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { QueryResult } from '../../../src/knowledge/query/query.ts';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { bearerOf, identities } from '../../support/identities.ts';
import { add, remove, schemaOrg, world } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { useFolder, useService } from '../../support/setUp.ts';

const [name, population, capital, symbol] = [
  `${schemaOrg}name`,
  `${world}population`,
  `${world}capital`,
  `${world}symbol`,
];
const [Country, City, Currency] = [`${schemaOrg}Country`, `${schemaOrg}City`, `${world}Currency`];
const [motto, vault] = ['urn:motto', 'urn:g:vault'];

const closed = [{ rule: 'no-capitals', predicates: [capital], classes: [Currency], to: { agents: ['outsider'] } }];
const folder = useFolder({ 'policy.json': JSON.stringify({ closed }) });
const service = useService({
  ...identities,
  POLICY: join(folder, 'policy.json'),
  QUERY_DEFAULT_LIMIT: '4',
  QUERY_MAX_COST: '5000',
});

const bearer = (agent: string, claims: object = {}) => bearerOf({ tenant: 'north', sub: agent, ...claims });
const atlas = bearer('atlas');
let before: string;

async function update(mutations: object[], headers = atlas) {
  const { result } = await call<UpdateResult>(service.url, 'knowledge/update', { mutations }, headers);
  expect(result.success).toBe(true);
}

beforeAll(async () => {
  await update([
    add('urn:che', name, 'Switzerland', { type: Country }),
    add('urn:che', population, 8_000_000, { certainty: 0.5 }),
    add('urn:che', capital, { id: 'urn:bern', type: City }, { certainty: 0.9 }),
    add('urn:bern', name, 'Bern', { certainty: 0.8 }),
    add('urn:chf', symbol, 'Fr.', { type: Currency }),
    add('urn:che', motto, 'one for all', { graph: vault }),
    add('urn:che', motto, 'gone', { certainty: 0.1 }),
  ]);
  await update([add('urn:atlantis', name, 'Atlantis', { type: Country })], bearer('other', { tenant: 'south' }));
  await new Promise((resolve) => setTimeout(resolve, 5));
  before = new Date().toISOString();
  await update([remove('urn:che', motto, 'gone'), add('urn:aut', name, 'Austria', { type: Country })], bearer('scout'));
});

interface Told {
  subject: string;
  object: { id: string | null; value: unknown };
}

const ask = (query: string, rest: object = {}, headers = atlas) =>
  call<QueryResult>(service.url, 'knowledge/query', { query, ...rest }, headers);

/** The objects of the statements that are found. */
async function objects(args: string, rest: object = {}, headers = atlas): Promise<unknown[]> {
  const { result, error } = await ask(`{ statements${args} { subject object { id value } } }`, rest, headers);
  if (error) throw new Error(JSON.stringify(error));
  return ((result.data?.statements ?? []) as Told[]).map(({ object }) => object.id ?? object.value);
}

describe('statements across entities', () => {
  test.each([
    [`{predicate: {eq: "${name}"}}`, ['Austria', 'Switzerland', 'Bern']],
    [`{predicate: {in: ["${population}", "${motto}"]}}`, [8_000_000, 'one for all']],
    [`{class: {eq: "${Country}"}, certainty: {gt: 0.5, lt: 1}}`, ['urn:bern']],
    [`{class: {in: ["${City}", "${Currency}"]}}`, ['Fr.', 'Bern']],
    [`{certainty: {eq: 1}, predicate: {startsWith: "https://schema"}}`, ['Austria', 'Switzerland']],
    [`{certainty: {eq: null}, graph: {eq: null}, subject: {eq: "urn:che"}}`, ['Switzerland']],
    [`{graph: {eq: "${vault}"}}`, ['one for all']],
    [`{object: {eq: "urn:bern"}}`, ['urn:bern']],
    [`{sourceAgentId: {caseInsensitive: {eq: "SCOUT"}}}`, ['Austria']],
    [`{OR: [{subject: {eq: "urn:bern"}}, {revision: {gt: 1}}]}`, ['Austria', 'Bern']],
    [`{NOT: {OR: [{subject: {eq: "urn:che"}}, {class: {eq: "${Country}"}}]}}`, ['Fr.', 'Bern']],
    [`{class: {eq: "urn:unheard"}}`, []],
    [`{predicate: {caseInsensitive: {in: ["${motto.toUpperCase()}"]}}}`, ['one for all']],
  ])('are found by what they are: %s', async (where, found) => {
    const asked = await objects(`(where: ${where}, sort: {certainty: DESC, subject: ASC})`);
    expect(new Set(asked)).toEqual(new Set(found));
    expect(asked).toHaveLength(found.length);
  });

  test('tell all that is said of each', async () => {
    const text = `query ($where: StatementWhere!) { statements(where: $where) {
      id subject predicate object { id type } graph certainty sourceAgentId observedAt recordedAt revision sources { sourceAgentId }
    } }`;
    const where = { predicate: { eq: capital } };
    const { result } = await ask(text, { variables: { where } });
    const [statement] = (result.data?.statements ?? []) as Record<string, unknown>[];
    expect(statement).toMatchObject({
      ...{
        subject: 'urn:che',
        predicate: capital,
        object: { id: 'urn:bern', type: City },
        graph: null,
        certainty: 0.9,
      },
      ...{ sourceAgentId: 'atlas', revision: 1, sources: [{ sourceAgentId: 'atlas' }] },
      ...{ observedAt: expect.stringMatching(/Z$/), recordedAt: statement?.observedAt },
    });
    const since = { variables: { where: { ...where, recordedAt: { gt: before } } } };
    expect((await ask(text, since)).result.data).toEqual({ statements: [] });
    expect(result.queryMetadata.usedIndex).toBe(false);
    const named = await ask(`{ statements(where: {class: {eq: "${Country}"}}) { id } }`);
    expect(named.result.queryMetadata.usedIndex).toBe(true);
  });

  test('come by predicate, most certain first, or as they are sorted', async () => {
    expect(await objects('(limit: 9)')).toEqual([
      ...['urn:bern', 8_000_000, 'Fr.'],
      ...(await objects(`(where: {predicate: {eq: "${name}"}, certainty: {eq: 1}})`)),
      ...['Bern', 'one for all'],
    ]);
    const graphs = await objects('(sort: [{graph: ASC}, {certainty: ASC}, {subject: ASC}], limit: 3)');
    expect(graphs).toEqual(['one for all', 8_000_000, 'Bern']);
    expect((await objects('(sort: {graph: DESC_NULLS_FIRST}, limit: 9)')).at(-1)).toBe('one for all');
  });

  test('have a length, of which the answer tells where nobody has asked for it', async () => {
    const whole = await objects('(limit: 9)');
    expect(whole).toHaveLength(7);
    expect(await objects('(limit: 3, offset: 2)')).toEqual(whole.slice(2, 5));
    const { result } = await ask('{ statements { id } }');
    expect(result.data?.statements).toHaveLength(4);
    expect(result.queryMetadata.truncated).toBe(true);
    expect((await ask('{ statements(limit: 4) { id } }')).result.queryMetadata.truncated).toBeUndefined();
  });

  test('are held to the limits of a query', async () => {
    const reason = async (args: string) => (await ask(`{ statements${args} { id subject } }`)).error?.data.reason;
    expect(await reason('(limit: 4000)')).toBe('too-costly');
    expect(await reason('(limit: -1)')).toBe('bad-argument');
    expect(await reason('(where: {subject: null})')).toBe('bad-argument');
  });

  test('are of the tenant alone', async () => {
    expect(await objects('', {}, bearer('other', { tenant: 'south' }))).toEqual(['Atlantis']);
  });

  test('are those that meet the conditions of the query', async () => {
    const ofBern = `(where: {OR: [{subject: {eq: "urn:bern"}}, {object: {eq: "urn:bern"}}, {predicate: {eq: "${motto}"}}]})`;
    expect(await objects(ofBern)).toEqual(['urn:bern', 'Bern', 'one for all']);
    expect(await objects(ofBern, { requiredCertainty: 0.85 })).toEqual(['urn:bern', 'one for all']);
    expect(await objects(ofBern, { maxAgeSeconds: 0 })).toEqual([]);
    const then = ['urn:bern', 'Bern', 'one for all', 'gone'];
    expect(await objects(ofBern, { metadata: { asOf: before } })).toEqual(then);
    expect(await objects(ofBern, { metadata: { asOfRevision: 1 } })).toEqual(then);
    expect(await objects(ofBern.replace('(', `(asOf: "${before}", `))).toEqual(then);
    expect(await objects(`(asOf: "${before}", where: {predicate: {eq: "${motto}"}})`)).toEqual(['one for all', 'gone']);
    expect(await objects('', {}, bearer('clerk', { graphs: vault }))).toEqual(['one for all']);
    expect(await objects(ofBern, {}, bearer('clerk', { graphs: 'default' }))).toEqual(['urn:bern', 'Bern']);
  });

  test('are none that the policy closes, and may not ask for it', async () => {
    const outsider = bearer('outsider');
    const found = await objects('(limit: 9)', {}, outsider);
    expect(new Set(found)).toEqual(new Set([8_000_000, 'Austria', 'Switzerland', 'Bern', 'one for all']));
    for (const where of [`{predicate: {eq: "${capital}"}}`, `{class: {in: ["${Currency}"]}}`]) {
      const { error } = await ask(`{ statements(where: ${where}) { id } }`, {}, outsider);
      expect(error).toMatchObject({ code: -32013, data: { rule: 'no-capitals' } });
    }
  });

  test('tell on request what the answer rests on', async () => {
    const rest = { metadata: { consulted: true } };
    const { result } = await ask(`{ statements(where: {subject: {eq: "urn:che"}}) { id } }`, rest);
    expect(result.queryMetadata.consulted).toEqual({ statements: 4, lowestCertainty: 0.5 });
  });
});
