import { beforeEach, describe, expect, test } from '@jest/globals';
import { Dictionary } from '../../../src/graph/names/dictionary.ts';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import { emptyGraph } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';

const database = useDatabase();

beforeEach(async () => {
  await emptyGraph();
  await migrate(database);
});

describe('names', () => {
  test('that collide are numbered', async () => {
    const dictionary = await Dictionary.load(database);
    await dictionary.ensure(
      ['https://a.example/worksFor', 'https://b.example/worksFor', 'https://c.example/works_for'],
      ['https://a.example/Person', 'https://b.example/person'],
    );
    expect(dictionary.relationshipType('https://a.example/worksFor')).toBe('WORKS_FOR');
    expect(dictionary.relationshipType('https://b.example/worksFor')).toBe('WORKS_FOR_2');
    expect(dictionary.relationshipType('https://c.example/works_for')).toBe('WORKS_FOR_3');
    expect(dictionary.label('https://a.example/Person')).toBe('Person');
    expect(dictionary.label('https://b.example/person')).toBe('Person_2');
    expect(dictionary.property('https://b.example/worksFor')).toBe('worksFor2');
  });

  test("that are Concord's own get a suffix, which can collide as well", async () => {
    const dictionary = await Dictionary.load(database);
    await dictionary.ensure(
      ['urn:p:past', 'urn:p:pastStatement'],
      ['urn:c:Update', 'urn:c:UpdateEntity', 'urn:c:Literal'],
    );
    expect(['urn:p:past', 'urn:p:pastStatement'].map((iri) => dictionary.relationshipType(iri))).toEqual([
      'PAST_STATEMENT',
      'PAST_STATEMENT_2',
    ]);
    expect(['urn:c:Update', 'urn:c:UpdateEntity', 'urn:c:Literal'].map((iri) => dictionary.label(iri))).toEqual([
      'UpdateEntity',
      'UpdateEntity_2',
      'LiteralEntity',
    ]);
  });

  test('survive a restart, whatever is asked for first then', async () => {
    const before = await Dictionary.load(database);
    await before.ensure(['urn:a:name', 'urn:b:name'], ['urn:a:Thing']);
    const after = await Dictionary.load(database);
    await after.ensure(['urn:c:name', 'urn:b:name', 'urn:a:name'], ['urn:b:Thing', 'urn:a:Thing']);
    expect(['urn:a:name', 'urn:b:name', 'urn:c:name'].map((iri) => after.relationshipType(iri))).toEqual([
      'NAME',
      'NAME_2',
      'NAME_3',
    ]);
    expect(after.label('urn:b:Thing')).toBe('Thing_2');
    expect(after.unknownPredicates(['urn:a:name', 'urn:x', 'urn:x'])).toEqual(['urn:x']);
  });

  test('that are not there are an error', async () => {
    const dictionary = await Dictionary.load(database);
    expect(() => dictionary.relationshipType('urn:x')).toThrow('urn:x');
    expect(() => dictionary.label('urn:x')).toThrow('urn:x');
  });
});

test('replicas that name the same at once agree, and give no name twice', async () => {
  const replicas = await Promise.all(Array.from({ length: 4 }, () => Dictionary.load(database)));
  const iris = Array.from({ length: 6 }, (_, n) => `urn:${n}:name`);
  const classes = iris.map((iri) => iri.replace('name', 'Thing'));
  await Promise.all(
    replicas.map((replica, n) => {
      const turned = [...iris.slice(n), ...iris.slice(0, n)];
      const turnedClasses = [...classes.slice(n), ...classes.slice(0, n)];
      return replica.ensure(turned, turnedClasses);
    }),
  );
  const [types, ...others] = replicas.map((replica) => iris.map((iri) => replica.relationshipType(iri)));
  expect(new Set(types).size).toBe(iris.length);
  for (const other of others) expect(other).toEqual(types);
  const [labels, ...otherLabels] = replicas.map((replica) => classes.map((iri) => replica.label(iri)));
  expect(new Set(labels).size).toBe(classes.length);
  for (const other of otherLabels) expect(other).toEqual(labels);
});

test('one replica that is asked by many calls at once names each once', async () => {
  const dictionary = await Dictionary.load(database);
  await Promise.all(
    Array.from({ length: 10 }, (_, n) => dictionary.ensure(['urn:x:same', `urn:x:other${n % 3}`], ['urn:x:Same'])),
  );
  const rows = await database.run<{ n: number; types: number }>(
    'READ',
    'MATCH (p:Predicate) RETURN count(p) AS n, count(DISTINCT p.relationshipType) AS types',
  );
  expect(rows).toEqual([{ n: 4, types: 4 }]);
});

test('every relationship type has its constraint: one current edge a statement', async () => {
  const dictionary = await Dictionary.load(database);
  await dictionary.ensure(['urn:p:constrained'], []);
  const rows = await database.run<{ types: string[] }>(
    'READ',
    "SHOW CONSTRAINTS YIELD labelsOrTypes, properties, type WHERE properties = ['statementId'] AND labelsOrTypes = ['CONSTRAINED'] RETURN labelsOrTypes AS types, type",
  );
  expect(rows).toMatchObject([{ types: ['CONSTRAINED'], type: 'RELATIONSHIP_UNIQUENESS' }]);
});
