import { beforeAll, describe, expect, test } from '@jest/globals';
import { rowsOf } from '../../../support/qualified.ts';
import { Qualifier } from '../../../support/qualifier.ts';
import { emptyGraph } from '../../../support/service.ts';
import { useDatabase } from '../../../support/setUp.ts';
import { leakVocabulary, projectedFields } from '../vocabulary.ts';

const database = useDatabase();
const qualifier = new Qualifier(projectedFields(leakVocabulary));
const visible = { tenant: 'north', graphs: { default: false, named: ['urn:seen'] } };

const said = [
  { id: 'a', type: 'NAME', value: 'Ann', graph: 'urn:seen', certainty: 0.5 },
  { id: 'a', type: 'NAME', value: 'Anna', graph: 'urn:seen', certainty: 0.9 },
  { id: 'a', type: 'NAME', value: 'Hidden', graph: 'urn:hidden', certainty: 1 },
  { id: 'a', type: 'AGE', value: 41, graph: 'urn:seen', certainty: 0.4 },
  { id: 'a', type: 'AGE', value: 7_000_000_000, graph: 'urn:seen', certainty: 0.8 },
  { id: 'a', type: 'NICK', value: 'x', graph: 'urn:seen', certainty: 0.2 },
  { id: 'a', type: 'NICK', value: 'y', graph: 'urn:seen', certainty: 0.7 },
  { id: 'a', type: 'NICK', value: 'x', graph: 'urn:seen', certainty: 0.6 },
  { id: 'b', type: 'NAME', value: 'Bob', graph: 'urn:seen', certainty: 1 },
  { id: 'b', type: 'AGE', value: 12, graph: 'urn:seen', certainty: 1 },
  { id: 'b', type: 'AGE', value: 99, graph: 'urn:hidden', certainty: 1 },
  { id: 'b', type: 'BORN', value: '2001-02-03', graph: 'urn:seen', certainty: 0.1 },
  // None of these is of the field's type, though some can be made into it.
  ...['5', 1.5, true, [41], ['5'], 2_147_483_648, Number.NaN, Number.POSITIVE_INFINITY].map((value) => ({
    ...{ id: 'a', type: 'AGE', value, graph: 'urn:seen', certainty: 0.95 },
  })),
  ...[20_010_203, true, ['2001-02-03'], '2001-02-30', '2001-02-03T04:05:06Z'].map((value) => ({
    ...{ id: 'b', type: 'BORN', value, graph: 'urn:seen', certainty: 0.95 },
  })),
];

beforeAll(async () => {
  await emptyGraph();
  await database.run('WRITE', `UNWIND ['a', 'b'] AS id CREATE (:Entity:Person {tenant: 'north', id: id})`);
  await database.run(
    'WRITE',
    `UNWIND $said AS each MATCH (p:Person {id: each.id})
     CREATE (p)-[r:$(each.type) {statementId: randomUUID(), certainty: each.certainty, graph: each.graph}]->
       (:Literal {tenant: 'north', value: each.value})
     SET r.observedAt = datetime(), r.revision = 1`,
    { said },
  );
});

const collections = (text: string) => qualifier.qualify(text, visible).cypher.split('COLLECT {').length - 1;
const run = (text: string, conditions = visible) => rowsOf(database, qualifier.qualify(text, conditions));

const ann = { name: 'Anna', age: 41, nick: ['y', 'x'] };
const bob = { name: 'Bob', age: 12, nick: null };

describe('several values of a node are fetched by one sub-query, and are what they are alone', () => {
  test.each([
    ['a map projection', 1, 'MATCH (n:Person) RETURN n {.name, .age, .nick} AS m ORDER BY n.id', [ann, bob]],
    ['a map', 1, 'MATCH (n:Person) RETURN {name: n.name, age: n.age, nick: n.nick} AS m ORDER BY n.id', [ann, bob]],
    [
      'a day among what is none',
      1,
      "MATCH (n:Person {id: 'b'}) RETURN {a: n.age, b: toString(n.born)} AS m",
      [{ a: 12, b: '2001-02-03' }],
    ],
    [
      'each alone',
      2,
      'MATCH (n:Person) RETURN [n.age, toString(n.born)] AS m ORDER BY n.id',
      [
        [41, null],
        [12, '2001-02-03'],
      ],
    ],
    [
      'a map of maps and functions',
      1,
      "MATCH (n:Person {id: 'a'}) RETURN {b: [{c: toUpper(n.name)}], d: n {.age}} AS m",
      [{ b: [{ c: 'ANNA' }], d: { age: 41 } }],
    ],
    [
      'two nodes',
      2,
      "MATCH (n:Person {id: 'a'}), (o:Person {id: 'b'}) RETURN {a: n.name, b: n.age, c: o.name, d: o.age} AS m",
      [{ a: 'Anna', b: 41, c: 'Bob', d: 12 }],
    ],
    ['conditions, each by itself', 2, "MATCH (n:Person) WHERE n.name = 'Anna' AND n.age > 40 RETURN n.id AS m", ['a']],
    [
      'a sub-query of its own',
      2,
      'MATCH (n:Person) RETURN COLLECT { RETURN {a: n.name, b: n.age} } AS m ORDER BY n.id',
      [[{ a: 'Anna', b: 41 }], [{ a: 'Bob', b: 12 }]],
    ],
    [
      'a pattern comprehension',
      // A literal's value may be a person's, too.
      2,
      "MATCH (n:Person {id: 'a'}) RETURN [(n)-[r:NICK]->(l) | {nick: l.value, name: n.name, age: n.age}][0].name AS m",
      ['Anna'],
    ],
  ])('%s', async (_, count, text, answers) => {
    expect(collections(text)).toBe(count);
    expect((await run(text)).map(({ m }) => m)).toEqual(answers);
  });
});

describe('what has been fetched is used only where it can be seen', () => {
  test.each([
    [
      'behind rows made one',
      "MATCH (n:Person) WHERE n.name <> 'x' WITH DISTINCT n RETURN n.name AS m ORDER BY m",
      ['Anna', 'Bob'],
    ],
    [
      'beside a count',
      "MATCH (n:Person) WHERE n.name <> 'x' WITH n, count(*) AS c ORDER BY n.name RETURN n.name AS m",
      ['Anna', 'Bob'],
    ],
    [
      'in a CALL',
      "MATCH (n:Person) WHERE n.name <> 'x' CALL (n) { RETURN n {.name, .age} AS o } RETURN o.name AS m ORDER BY m",
      ['Anna', 'Bob'],
    ],
    [
      'behind another name',
      "MATCH (n:Person) WHERE n.name <> 'x' WITH n AS o RETURN o.name AS m ORDER BY m",
      ['Anna', 'Bob'],
    ],
    [
      'in an aggregation',
      'MATCH (n:Person) RETURN {a: max(n.name), b: max(n.age), c: min(n.age)} AS m',
      [{ a: 'Bob', b: 41, c: 12 }],
    ],
    ['around an aggregation', 'MATCH (n:Person) WITH collect(n {.name, .age}) AS both RETURN size(both) AS m', [2]],
    [
      'in a CALL within the map',
      "MATCH (n:Person {id: 'a'}) RETURN {a: n.age, n: n.name, c: COLLECT { CALL (n) { RETURN n.name AS x } RETURN x }} AS m",
      [{ a: 41, n: 'Anna', c: ['Anna'] }],
    ],
    ['of no node', "OPTIONAL MATCH (n:Person {id: 'none'}) RETURN n {.name, .age} AS m", [null]],
  ])('%s', async (_, text, answers) => {
    expect((await run(text)).map(({ m }) => m)).toEqual(answers);
  });
});

test('a single value, and values that need no sub-query, are read by themselves', () => {
  const alone = qualifier.qualify('MATCH (n:Person) RETURN n {.name, .id} AS m', visible).cypher;
  expect(alone).toMatch(/`name`: head\(COLLECT \{[^}]* LIMIT 1 \}\)/);
  const certain = { tenant: 'north', requiredCertainty: 0.5 };
  const { cypher } = qualifier.qualify('MATCH (n:Person) RETURN n {.name, .age} AS m', certain);
  expect(cypher).not.toContain('COLLECT');
});

test('as of a revision, a statement that has ended is told by the type that it had', async () => {
  await database.run(
    'WRITE',
    `MATCH (p:Person {id: 'b'}) CREATE (p)-[:PAST {relationshipType: 'NICK', statementId: randomUUID(), certainty: 1.0,
       graph: 'urn:seen', revision: 1, retractedRevision: 3, observedAt: datetime()}]->(:Literal {tenant: 'north', value: 'Bobby'})`,
  );
  const text = "MATCH (n:Person {id: 'b'}) RETURN n {.name, .age, .nick} AS m";
  expect(await run(text, { ...visible, asOfRevision: 2 } as never)).toEqual([
    { m: { name: 'Bob', age: 12, nick: ['Bobby'] } },
  ]);
  expect(await run(text, { ...visible, asOfRevision: 3 } as never)).toEqual([{ m: bob }]);
});

test('a list of numbers is told whichever numbers it holds, and a list of texts is none', async () => {
  const marks = { relationshipType: 'MARKS', scalar: 'Float', list: true, indexed: false } as const;
  await database.run(
    'WRITE',
    `CREATE (:Entity {tenant: 'north', id: 'm1', marks: [1.5, 2.25, 3.0]}),
       (:Entity {tenant: 'north', id: 'm2', marks: [1, 2]}), (:Entity {tenant: 'north', id: 'm3', marks: ['1']})`,
  );
  const text = "MATCH (n:Entity) WHERE n.id STARTS WITH 'm' RETURN toString(size(n.marks)) AS m ORDER BY n.id";
  const asked = new Qualifier(new Map([['marks', marks]])).qualify(text, { tenant: 'north' });
  expect((await rowsOf(database, asked)).map(({ m }) => m)).toEqual(['3', '2', null]);
});
