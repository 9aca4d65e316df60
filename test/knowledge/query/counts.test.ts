import { beforeAll, expect, test } from '@jest/globals';
import type { QueryResult } from '../../../src/knowledge/query/query.ts';
import { add, schemaOrg, world } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { useService } from '../../support/setUp.ts';

const service = useService();
const country = (index: number) => `urn:c:${String(index).padStart(2, '0')}`;
const all = Array.from({ length: 12 }, (_, index) => index);

/** Twelve countries, of which each borders as many of those before it as the rest of its number by four says. */
beforeAll(async () => {
  const type = `${schemaOrg}Country`;
  const mutations = all.flatMap((index) => [
    add(country(index), `${schemaOrg}name`, `Country ${index}`, { type }),
    ...all
      .slice(0, index % 4)
      .map((other) =>
        add(country(index), `${world}borders`, { id: country(other), type }, { certainty: 0.3 + other / 10 }),
      ),
  ]);
  // Said twice, it is one neighbour.
  mutations.push(
    add(country(11), `${world}borders`, { id: country(0), type }, { graph: 'urn:g:again', certainty: 0.3 }),
  );
  const { error } = await call(service.url, 'knowledge/update', { mutations, sourceAgentId: 'atlas' });
  expect(error).toBeUndefined();
});

async function query<Data>(text: string, metadata: object = {}): Promise<Data> {
  const { result, error } = await call<QueryResult>(service.url, 'knowledge/query', { query: text, ...metadata });
  if (error) throw new Error(JSON.stringify(error));
  return result.data as Data;
}

interface Row {
  id: string;
  bordersCount: number;
}

const most = (rows: Row[]) => rows.map(({ id, bordersCount }) => [id, bordersCount]);
const byCount = [...all]
  .sort((one, other) => (other % 4) - (one % 4) || one - other)
  .map((index) => [country(index), index % 4]);

test('a list is sorted by how many entities each is linked to, and by the id where they have as many', async () => {
  const pages: Row[] = [];
  for (let offset = 0; offset < all.length; offset += 5) {
    const text = `{ countries(sort: [{bordersCount: DESC}], limit: 5, offset: ${offset}) { id bordersCount } }`;
    pages.push(...(await query<{ countries: Row[] }>(text)).countries);
  }
  expect(most(pages)).toEqual(byCount);
});

test('so are the pages of a connection, and a list within', async () => {
  const rows: Row[] = [];
  for (let after = ''; ; ) {
    const text = `{ countriesConnection(sort: [{bordersCount: DESC}], first: 5${after}) {
      edges { node { id bordersCount } } pageInfo { endCursor hasNextPage } } }`;
    type Page = { edges: { node: Row }[]; pageInfo: { endCursor: string; hasNextPage: boolean } };
    const { edges, pageInfo } = (await query<{ countriesConnection: Page }>(text)).countriesConnection;
    rows.push(...edges.map(({ node }) => node));
    if (!pageInfo.hasNextPage) break;
    after = `, after: "${pageInfo.endCursor}"`;
  }
  expect(most(rows)).toEqual(byCount);
  const within = `{ countries(where: {id: {eq: "${country(11)}"}}) { borders(sort: [{bordersCount: DESC}]) { id } } }`;
  const { countries } = await query<{ countries: { borders: { id: string }[] }[] }>(within);
  expect(countries[0]?.borders.map(({ id }) => id)).toEqual([2, 1, 0].map(country));
});

test('a count may be a condition, and an inverse has one', async () => {
  const { countries } = await query<{ countries: Row[] }>(
    '{ countries(where: {bordersCount: {gt: 2}}, sort: [{id: ASC}]) { id bordersCount } }',
  );
  expect(most(countries)).toEqual([3, 7, 11].map((index) => [country(index), 3]));
  const { cities } = await query<{ cities: unknown[] }>(
    '{ cities(sort: [{capitalOfCount: DESC}]) { capitalOfCount } }',
  );
  expect(cities).toEqual([]);
});

test('only links that qualify are counted', async () => {
  const text = `{ countries(where: {id: {eq: "${country(11)}"}}) { id bordersCount } }`;
  const of = async (metadata: object) => most((await query<{ countries: Row[] }>(text, metadata)).countries);
  expect(await of({ requiredCertainty: 0.4 })).toEqual([[country(11), 2]]);
  expect(await of({})).toEqual([[country(11), 3]]);
});
