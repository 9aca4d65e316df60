import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { add } from '../../support/patches.ts';
import { call, emptyGraph, startServiceOnGraph } from '../../support/service.ts';
import { useDatabase, useFolder } from '../../support/setUp.ts';

const folder = useFolder();
const database = useDatabase();

beforeEach(emptyGraph);

/** Runs Concord with a class `Person` of these fields for as long as `work` takes. */
async function withFields(fields: string, work: (url: string) => Promise<void> = async () => {}): Promise<void> {
  const file = join(folder, 'people.graphql');
  writeFileSync(file, `extend schema @vocabulary(base: "urn:people:")\ntype Person @class { ${fields} }\n`);
  const service = await startServiceOnGraph({ VOCABULARY: file });
  try {
    await work(service.url);
  } finally {
    await service.close();
  }
}

const state = async (url: string, mutations: object[]) => {
  const { result } = await call<UpdateResult>(url, 'knowledge/update', { mutations });
  expect(result.success).toBe(true);
};

const projected = async (id: string) => {
  const [row] = await database.run<{ entity: object }>('READ', 'MATCH (e:Entity {id: $id}) RETURN e {.*} AS entity', {
    id,
  });
  return row?.entity;
};

const ada = 'urn:people:ada';
const person = { type: 'urn:people:Person' };

test('a field that is added shows the statements that were there before', async () => {
  await withFields('name: String!', (url) =>
    state(url, [
      add(ada, 'urn:people:name', 'Ada', person),
      add(ada, 'urn:people:alias', 'Countess', { certainty: 0.5 }),
      add(ada, 'urn:people:alias', 'Augusta'),
      add(ada, 'urn:people:alias', 7),
    ]),
  );
  expect(await projected(ada)).toEqual({ tenant: 'default', id: ada, ...person, name: 'Ada' });

  await withFields('name: String! alias: [String!]!', async (url) => {
    expect(await projected(ada)).toMatchObject({ alias: ['Augusta', 'Countess'] });
    const { result } = await call(url, 'knowledge/query', {
      query: '{ people(where: {alias: {includes: "Augusta"}}) { name alias } }',
    });
    expect(result.data).toEqual({ people: [{ name: 'Ada', alias: ['Augusta', 'Countess'] }] });
  });
});

test('a list that becomes a single field is projected anew', async () => {
  await withFields('name: String! alias: [String!]!', (url) =>
    state(url, [
      add(ada, 'urn:people:alias', 'Countess', { ...person, certainty: 0.5 }),
      add(ada, 'urn:people:alias', 'Augusta'),
    ]),
  );
  await withFields('name: String! alias: String');
  expect(await projected(ada)).toMatchObject({ alias: 'Augusta' });
});

test('a field that is removed and comes back shows what was said meanwhile', async () => {
  const both = 'name: String! alias: String';
  await withFields(both, (url) => state(url, [add(ada, 'urn:people:alias', 'a', { ...person, certainty: 0.1 })]));
  await withFields('name: String!', (url) => state(url, [add(ada, 'urn:people:alias', 'b')]));
  await withFields(both);
  expect(await projected(ada)).toMatchObject({ alias: 'b' });
});

test('a field that is removed binds nobody any more', async () => {
  await withFields('name: String! age: Int');
  await withFields('name: String!', (url) => state(url, [add(ada, 'urn:people:age', 'unknown')]));
  const [row] = await database.run<{ predicate: object }>(
    'READ',
    'MATCH (p:Predicate {iri: "urn:people:age"}) RETURN p {.*} AS predicate',
  );
  expect(row?.predicate).toEqual({ iri: 'urn:people:age', relationshipType: 'AGE' });
});

test('more entities than a page are all projected, in every tenant', async () => {
  await withFields('name: String!');
  await database.run(
    'WRITE',
    `MERGE (p:Predicate {iri: 'urn:people:rank'}) SET p.relationshipType = 'RANK'
     WITH p UNWIND range(1, 2500) AS n
     CREATE (:Entity {tenant: 'tenant ' + toString(n % 2), id: toString(n)})-[:RANK {tenant: 'tenant ' + toString(n % 2), statementId: 'rank ' + toString(n), predicate: p.iri, observedAt: datetime()}]->
       (:Literal {tenant: 'tenant ' + toString(n % 2), value: n, datatype: 'http://www.w3.org/2001/XMLSchema#integer'})`,
  );
  await withFields('name: String! rank: Int');
  const [row] = await database.run<{ n: number }>(
    'READ',
    'MATCH (e:Entity)-[:RANK]->(l) WHERE e.rank = l.value RETURN count(e) AS n',
  );
  expect(row?.n).toBe(2_500);
});

test('an indexed field has an index in each of its classes', async () => {
  await withFields('name: String! @predicate(indexed: true)');
  const rows = await database.run(
    'READ',
    "SHOW INDEXES YIELD name, labelsOrTypes, properties, state WHERE name = 'field_Person_name' RETURN labelsOrTypes, properties, state",
  );
  expect(rows).toEqual([{ labelsOrTypes: ['Person'], properties: ['tenant', 'name'], state: 'ONLINE' }]);
});
