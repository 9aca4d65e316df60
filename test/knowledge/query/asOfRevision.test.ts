import { beforeAll, expect, test } from '@jest/globals';
import type { QueryResult } from '../../../src/knowledge/query/query.ts';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { add, remove, replace, schemaOrg, world } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { useService } from '../../support/setUp.ts';

const about = 'urn:atlantis';
const population = `${world}population`;

const service = useService();
beforeAll(async () => {
  const type = `${schemaOrg}Country`;
  const updates = [
    [add(about, population, 1, { type })],
    [replace(about, population, 2)],
    [add(about, population, 2, { certainty: 0.5 })],
    [remove(about, population, 2)],
    [add(about, population, 2)],
  ];
  for (const [index, mutations] of updates.entries()) {
    const { result } = await call<UpdateResult>(service.url, 'knowledge/update', { mutations });
    expect(result.revision).toBe(index + 1);
  }
});

const ask = (params: object) => call<QueryResult>(service.url, 'knowledge/query', params);

test('each revision is read as its update had left the graph, in GraphQL and in Cypher', async () => {
  const cypher = `MATCH (c:Country)-[r:POPULATION]->(o) RETURN o.value AS value, r.certainty AS certainty, r.retractedRevision AS ended`;
  const seen = [];
  for (const asOfRevision of [0, 1, 2, 3, 4, 5]) {
    const metadata = { asOfRevision };
    const fields = await ask({ query: '{ countries { population } }', metadata });
    const edges = await ask({ query: cypher, queryLanguage: 'cypher', metadata });
    expect(fields.result.queryMetadata.conditions).toEqual({ asOfRevision });
    seen.push([fields.result.data?.countries, edges.result.data?.rows]);
  }
  const state = (value: number, certainty: number | null = null) => [
    [{ population: value }],
    [{ value, certainty, ended: null }],
  ];
  expect(seen).toEqual([[[], []], state(1), state(2), state(2, 0.5), [[], []], state(2)]);
});

test.each([
  [{ asOfRevision: -1 }, /metadata\.asOfRevision is below 0/],
  [{ asOfRevision: 1, asOf: '2026-01-01T00:00:00Z' }, /metadata\.asOfRevision is given beside asOf/],
])('%j is refused', async (metadata, message) => {
  const { error } = await ask({ query: '{ countries { id } }', metadata });
  expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) });
});
