import { beforeAll, describe, expect, test } from '@jest/globals';
import neo4j from 'neo4j-driver';
import type { QueryResult } from '../../../src/knowledge/query/query.ts';
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
