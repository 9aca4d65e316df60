import { beforeAll, describe, expect, test } from '@jest/globals';
import neo4j from 'neo4j-driver';
import type { QueryResult } from '../../../src/knowledge/query/query.ts';
import { Random } from '../../graph/qualify/random.ts';
import { call, testDatabase } from '../../support/service.ts';
import { useService } from '../../support/setUp.ts';

/** As many as there are airports: a list of all of them beside each row of a page was too much for Neo4j's memory. */
const all = 8_000;

const service = useService();

/**
 * Countries in Concord's own form. `name` has an index and `area` none; every fifth has no area, every seventh no name,
 * and regions are few.
 */
beforeAll(async () => {
  const database = testDatabase();
  await database.run(
    'WRITE',
    `UNWIND range(0, $all - 1) AS number
     WITH number, 'Country ' + toString((number * 7919) % $all + 10000) AS name
     CREATE (n:Entity:Country {tenant: 'default', id: 'urn:c:' + toString(number), type: 'https://schema.org/Country',
       name: CASE WHEN number % 7 > 0 THEN name END, name__certainty: CASE WHEN number % 7 > 0 AND number % 3 = 0 THEN 0.4 END,
       area: CASE WHEN number % 5 > 0 THEN toFloat((number * 31) % 997) END, region: 'Region ' + toString(number % 4)})
     CREATE (n)-[:REGION {statementId: 'r' + toString(number), tenant: 'default', predicate: 'https://example.org/world#region'}]->
       (:Literal {tenant: 'default', value: 'Region ' + toString(number % 4)})`,
    { all: neo4j.int(all) },
  );
  await database.run('READ', 'CALL db.awaitIndexes(300)');
  await database.close();
});

interface Row {
  id: string;
  name: string | null;
  area: number | null;
  region?: string;
}

/** The same by number, as it is read with this certainty. */
function rowOf(number: number, requiredCertainty = 0): Row {
  const isNamed = number % 7 > 0 && !(number % 3 === 0 && requiredCertainty > 0.4);
  return {
    id: `urn:c:${number}`,
    name: isNamed ? `Country ${((number * 7919) % all) + 10_000}` : null,
    area: number % 5 > 0 ? (number * 31) % 997 : null,
    region: `Region ${number % 4}`,
  };
}

interface Connection {
  totalCount?: number;
  edges: { cursor: string; node: Row }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string };
}

async function query(text: string, rest: object = {}): Promise<QueryResult> {
  const { result, error } = await call<QueryResult>(service.url, 'knowledge/query', { query: text, ...rest });
  if (error) throw new Error(JSON.stringify(error));
  return result;
}

async function connection(given: string, more = '', rest: object = {}): Promise<Connection> {
  const fields = 'edges { cursor node { id name area } } pageInfo { hasNextPage hasPreviousPage endCursor }';
  const text = `{ countriesConnection(${given}) { ${more} ${fields} } }`;
  return (await query(text, rest)).data?.countriesConnection as Connection;
}

/** The rows of all pages, one after another. */
async function walk(sort: string, first: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after = ''; ; ) {
    const { edges, pageInfo } = await connection(`sort: ${sort}, first: ${first}${after}`);
    rows.push(...edges.map(({ node }) => node));
    if (!pageInfo.hasNextPage) return rows;
    after = `, after: "${pageInfo.endCursor}"`;
  }
}

describe('a page of many entities', () => {
  test.each([
    ['an indexed field', '{name: ASC}', {}],
    ['another field', '{area: DESC}', {}],
    ['a field where certainty is required', '{name: ASC}', { requiredCertainty: 0.5 }],
  ])('sorted by %s takes no more memory than the page', async (_, sort, conditions) => {
    const { edges, pageInfo } = await connection(`sort: [${sort}], first: 1000`, '', conditions);
    expect(edges).toHaveLength(1_000);
    expect(pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
  });

  test.each(['{name: ASC}', '{name: DESC}', '[{region: ASC}, {area: DESC}]', '{id: DESC}'])(
    'sorted by %s has each entity on one page',
    async (sort) => {
      const rows = await walk(sort, 1_700);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(all);
      expect(rows).toHaveLength(all);
    },
  );

  test('counts them where that is asked for, and knows its place without', async () => {
    const sort = 'sort: {name: ASC}, first: 10';
    const first = await connection(sort, 'totalCount');
    expect(first.totalCount).toBe(all);
    const next = await connection(`${sort}, after: "${first.pageInfo.endCursor}"`);
    expect(next.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    expect(next.pageInfo.endCursor).toBe(next.edges.at(-1)?.cursor);
    const one = await connection('where: {id: {eq: "urn:c:1"}}, first: 1');
    expect(one.pageInfo).toMatchObject({ hasNextPage: false });
  });
});

/** How many random walks there are here; some more find nothing else. */
const walks = 10;

const fields = ['name', 'area', 'region', 'id'] as const;
type Sort = { field: (typeof fields)[number]; direction: string }[];

const written = (sort: Sort) => `[${sort.map(({ field, direction }) => `{${field}: ${direction}}`).join(', ')}]`;

/** By the words of a sort; ties by id. */
const bySort = (sort: Sort) => (one: Row, other: Row) => {
  for (const { field, direction } of [...sort, { field: 'id', direction: 'ASC' } as const]) {
    const [mine, theirs] = [one[field] ?? null, other[field] ?? null];
    if (mine === theirs) continue;
    const isFirst = direction.endsWith('_NULLS_FIRST');
    if (mine === null || theirs === null) return (mine === null) === isFirst ? -1 : 1;
    return mine < theirs === direction.startsWith('ASC') ? -1 : 1;
  }
  return 0;
};

const directions = ['ASC', 'DESC', 'ASC_NULLS_FIRST', 'DESC_NULLS_FIRST'];

function randomSort(random: Random): Sort {
  const chosen = random.some(fields, 0.5);
  return chosen
    .sort(() => random.next() - 0.5)
    .map((field) => ({ field, direction: random.pick(random.chance(0.7) ? directions.slice(0, 2) : directions) }));
}

describe('pages put together', () => {
  test('are the sorted list, for any order, conditions and length of a page, and cursors tell nothing hidden', async () => {
    const random = new Random(14);
    for (let walked = 0; walked < walks; walked++) {
      const sort = randomSort(random);
      const requiredCertainty = random.chance(0.5) ? 0.5 : undefined;
      const numbers = new Set(Array.from({ length: 45 }, () => random.below(all)));
      const least = random.below(500);
      const rows = [...numbers].map((number) => rowOf(number, requiredCertainty));
      const shown = rows.filter(({ area }) => area !== null && area > least).concat(rows.filter((each) => !each.area));
      const where = `{OR: [{area: {gt: ${least}}}, {area: {eq: null}}, {area: {eq: 0}}], id: {in: ${JSON.stringify(rows.map(({ id }) => id))}}}`;
      const first = 3 + random.below(20);
      const found: Row[] = [];
      for (let after = ''; ; ) {
        const order = sort.length > 0 ? `sort: ${written(sort)}, ` : '';
        const given = `${order}where: ${where}, first: ${first}${after}`;
        const { edges, pageInfo } = await connection(given, '', requiredCertainty ? { requiredCertainty } : {});
        for (const { cursor, node } of edges) {
          found.push(node);
          const told = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
          expect(told[3]).toEqual(
            (sort.length > 0 ? sort : [{ field: 'id' as const }]).map(({ field }) =>
              field === 'region' ? expect.anything() : node[field],
            ),
          );
        }
        if (!pageInfo.hasNextPage) break;
        after = `, after: "${pageInfo.endCursor}"`;
      }
      const seen = `${written(sort)} of ${first} with ${requiredCertainty}`;
      expect([seen, ...found.map(({ id }) => id)]).toEqual([seen, ...shown.sort(bySort(sort)).map(({ id }) => id)]);
    }
  });

  test('have each row once that stayed, whatever is written between them', async () => {
    const database = testDatabase();
    const random = new Random(3);
    for (const sort of ['{code: ASC}', '{population: DESC}']) {
      await database.run(
        'WRITE',
        `UNWIND range(0, 59) AS number
         MERGE (n:Entity:Country {tenant: 'default', id: 'urn:w:' + toString(number), type: 'https://schema.org/Country'})
         SET n.code = 'W' + toString(number / 3), n.population = number / 4`,
      );
      const gone = new Set<string>();
      const found: string[] = [];
      const ids = Array.from({ length: 200 }, (_, number) => `urn:w:${number}`);
      for (let after = '', page = 0; ; page++) {
        const where = `where: {id: {in: ${JSON.stringify(ids)}}}`;
        const { edges, pageInfo } = await connection(`sort: ${sort}, ${where}, first: 7${after}`);
        found.push(...edges.map(({ node }) => node.id));
        if (!pageInfo.hasNextPage) break;
        after = `, after: "${pageInfo.endCursor}"`;
        // Rows go from every page, and one comes before all and one behind.
        const taken = [pageInfo.endCursor ? (found.at(-1) ?? '') : '', `urn:w:${random.below(60)}`, found[0] ?? ''];
        for (const each of taken) gone.add(each);
        await database.run(
          'WRITE',
          `MATCH (n:Entity {tenant: 'default'}) WHERE n.id IN $taken DELETE n
           WITH count(*) AS done UNWIND ['W0', 'W9'] AS code
           CREATE (:Entity:Country {tenant: 'default', id: 'urn:w:' + toString($number) + code, type: 'https://schema.org/Country',
             code: code, population: toInteger(substring(code, 1))})`,
          { taken, number: neo4j.int(100 + page) },
        );
      }
      expect(new Set(found).size).toBe(found.length);
      const stayed = Array.from({ length: 60 }, (_, number) => `urn:w:${number}`).filter((each) => !gone.has(each));
      expect(found).toEqual(expect.arrayContaining(stayed));
      await database.run('WRITE', "MATCH (n:Entity {tenant: 'default'}) WHERE n.id STARTS WITH 'urn:w:' DELETE n");
    }
    await database.close();
  });

  test('go on behind an old cursor, which is a number of rows', async () => {
    const sorted = await connection('sort: {name: ASC}, first: 5');
    const old = Buffer.from('arrayconnection:1').toString('base64');
    const rest = await connection(`sort: {name: ASC}, first: 3, after: "${old}"`);
    expect(rest.edges).toEqual(sorted.edges.slice(2));
    expect(rest.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  });
});

describe('groups', () => {
  const groups = async (given: string, keys: string, rest: object = {}) => {
    const text = `{ countriesGroupBy${given} { count keys { ${keys} } } }`;
    return (await query(text, rest)).data?.countriesGroupBy as { count: number; keys: Record<string, unknown> }[];
  };

  test.each([
    ['by one field', ['region'], undefined],
    ['by two, where some have no value', ['region', 'area'], undefined],
    ['by what is certain enough', ['name', 'region'], 0.5],
  ] as const)('count what has the same values, %s', async (_, fields, requiredCertainty) => {
    const ids = Array.from({ length: 40 }, (_, at) => at * 61);
    const expected = new Map<string, number>();
    for (const id of ids) {
      const row = rowOf(id, requiredCertainty);
      const key = JSON.stringify(fields.map((each) => row[each]));
      expected.set(key, (expected.get(key) ?? 0) + 1);
    }
    const where = `(where: {id: {in: ${JSON.stringify(ids.map((id) => `urn:c:${id}`))}}})`;
    const found = await groups(where, fields.join(' '), requiredCertainty ? { requiredCertainty } : {});
    const told = found.map(({ count, keys }) => [JSON.stringify(fields.map((each) => keys[each])), count]);
    expect(new Map(told as [string, number][])).toEqual(expected);
    expect(found.map(({ count }) => count)).toEqual([...expected.values()].sort((one, other) => other - one));
  });

  test('are as many as are asked for, the greatest, and named as the query names them', async () => {
    const found = await groups(
      '(limit: 2, where: {region: {in: ["Region 1", "Region 3"]}})',
      'of: region ...on CountryGroupByKeys { __typename }',
    );
    expect(found).toEqual([
      { count: 2_000, keys: { of: 'Region 1', __typename: 'CountryGroupByKeys' } },
      { count: 2_000, keys: { of: 'Region 3', __typename: 'CountryGroupByKeys' } },
    ]);
    const cut = await query('{ countriesGroupBy { count keys { area } } }');
    expect(cut.data?.countriesGroupBy).toHaveLength(100);
    expect(cut.queryMetadata.truncated).toBe(true);
  });

  test('by nothing are refused', async () => {
    await expect(groups('', '__typename')).rejects.toThrow(/bad-argument/);
  });
});

describe('what has no value', () => {
  const absent = ({ name, area }: Row, field: string) => (field === 'name' ? name : area) === null;

  test.each([
    ['name', 'ASC'],
    ['name', 'DESC'],
    ['area', 'DESC'],
  ])('%s %s is last in the order', async (field, direction) => {
    const rows = await walk(`{${field}: ${direction}}`, 3_000);
    const nulls = rows.filter((each) => absent(each, field)).length;
    expect(nulls).toBeGreaterThan(1_000);
    expect(rows.slice(-nulls).every((each) => absent(each, field))).toBe(true);
    const values = rows.slice(0, -nulls).map(({ name, area }) => (field === 'name' ? name : area) ?? '');
    const ordered = [...values].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
    expect(values).toEqual(direction === 'ASC' ? ordered : ordered.reverse());
  });

  test('is first where the query says so', async () => {
    const rows = async (sort: string) =>
      (await query(`{ countries(sort: ${sort}, limit: 3) { area } }`)).data?.countries;
    const none = [{ area: null }, { area: null }, { area: null }];
    expect(await rows('{area: DESC_NULLS_FIRST}')).toEqual(none);
    expect(await rows('{area: ASC_NULLS_FIRST}')).toEqual(none);
    expect(await rows('{area: DESC}')).toEqual([{ area: 996 }, { area: 996 }, { area: 996 }]);
  });
});

describe('a list without a limit', () => {
  test('has a hundred rows, and the answer says that it was cut', async () => {
    const { data, queryMetadata } = await query('{ countries { id } }');
    expect(data?.countries).toHaveLength(100);
    expect(queryMetadata.truncated).toBe(true);
    const paged = await query('{ countriesConnection { edges { node { id } } pageInfo { hasNextPage } } }');
    expect(paged.data?.countriesConnection).toMatchObject({ pageInfo: { hasNextPage: true } });
    expect(paged.queryMetadata.truncated).toBe(true);
  });

  test('is whole, and says nothing, where there is no more or the query has a limit', async () => {
    const asked = [
      '{ countries(limit: 7) { id } }',
      '{ countries(where: {id: {in: ["urn:c:1", "urn:c:2"]}}) { id } }',
      '{ countriesConnection(first: 7) { edges { node { id } } } }',
      '{ countriesConnection { totalCount aggregate { count { nodes } } } }',
    ];
    for (const text of asked) expect((await query(text)).queryMetadata).not.toHaveProperty('truncated');
  });

  test('is cut over /graphql too', async () => {
    const ask = async (text: string) => {
      const response = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: text }),
      });
      return (await response.json()) as { data: { countries: unknown[] }; extensions?: object };
    };
    const cut = await ask('{ countries { id } }');
    expect(cut.data.countries).toHaveLength(100);
    expect(cut.extensions).toEqual({ truncated: true });
    expect(await ask('{ countries(limit: 2) { id } }')).not.toHaveProperty('extensions');
  });
});
