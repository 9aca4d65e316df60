import { beforeAll, describe, expect, test } from '@jest/globals';
import { ConcordError } from '../../../src/base/errors.ts';
import { datatypeOf, type Statement, statementIdOf } from '../../../src/graph/statements/statement.ts';
import { rowsOf } from '../../support/qualified.ts';
import { type Conditions, Qualifier } from '../../support/qualifier.ts';
import { useDatabase } from '../../support/setUp.ts';
import { closedOf } from './closedNames.ts';
import { termsOf } from './leaks/vocabularies.ts';
import { type Edge, load, start } from './leaks/world.ts';
import { base, leakVocabulary, projectedFields } from './vocabulary.ts';

const database = useDatabase();
const qualifier = new Qualifier(projectedFields(leakVocabulary));
const tenant = 'north';
const open: Conditions = { tenant };
/** Whom somebody loves, their age, and a rumour, which no vocabulary knows; and all places. */
const closed: Conditions = {
  tenant,
  closed: closedOf({ predicates: ['boss', 'age', 'rumour'], classes: ['Place'] }),
};
const later = start + 86_400_000;

function edge(subject: string, predicate: string, object: string | number | { id: string }, ended = false): Edge {
  const statement: Statement = {
    subject: { id: subject },
    predicate: { id: base + predicate },
    object: typeof object === 'object' ? object : { value: object, type: datatypeOf(object) },
  };
  return {
    tenant,
    id: statementIdOf(tenant, statement),
    statement,
    observedAt: start,
    recordedAt: start,
    ...(ended && { retractedAt: later }),
  };
}

beforeAll(async () => {
  const person = (id: string) => ({ tenant, id, type: `${base}Person` });
  await load(
    database,
    {
      entities: [
        ...['ann', 'bob', 'cy', 'dee'].map(person),
        { tenant, id: 'oslo', type: `${base}Place` },
        { tenant, id: 'thing' },
      ],
      edges: [
        edge('ann', 'name', 'Ann'),
        edge('ann', 'age', 40),
        edge('ann', 'friend', { id: 'bob' }),
        edge('ann', 'boss', { id: 'bob' }),
        edge('ann', 'worksAt', { id: 'oslo' }),
        edge('ann', 'rumour', 'psst'),
        edge('bob', 'name', 'Bob'),
        edge('bob', 'boss', { id: 'cy' }),
        edge('bob', 'boss', { id: 'ann' }, true),
        edge('cy', 'age', 50),
        edge('dee', 'worksAt', { id: 'oslo' }),
        edge('oslo', 'name', 'Oslo'),
        edge('thing', 'rumour', { id: 'oslo' }),
      ],
    },
    termsOf(leakVocabulary),
    true,
  );
});

async function ask(cypher: string, conditions: Conditions, parameters = {}): Promise<unknown[][]> {
  const qualified = qualifier.qualify(cypher, conditions);
  const rows = await rowsOf(database, qualified, parameters);
  return rows.map((row) => Object.values(row));
}

function refusal(cypher: string, conditions: Conditions): ConcordError {
  try {
    qualifier.qualify(cypher, conditions);
  } catch (error) {
    if (error instanceof ConcordError) return error;
    throw error;
  }
  throw new Error(`Not refused: ${cypher}`);
}

const shapes: [string, Conditions][] = [
  ['now', closed],
  ['as of then', { ...closed, asOf: new Date(start + 1_000) }],
  ['where certainty is required', { ...closed, requiredCertainty: 0.5 }],
  ['in some graphs', { ...closed, graphs: { default: true, named: [] } }],
];

describe.each(shapes)('%s', (_, conditions) => {
  test.each([
    'MATCH (n:Person) RETURN n.age AS x',
    'MATCH (n:Person) WHERE n.age > 1 RETURN n.id AS x',
    'MATCH (n:Person) WHERE n.age IS NULL OR n.id = 1 RETURN n.id AS x',
    'MATCH (n:Person {age: 40}) RETURN n.id AS x',
    'MATCH (n:Person WHERE n.age = 40) RETURN n.id AS x',
    "MATCH (n:Person) RETURN n['age'] AS x",
    'MATCH (n:Person) RETURN n.`age` AS x',
    'MATCH (n:Person) RETURN n {.id, .age} AS x',
    'MATCH (n:Person) RETURN n {.id, old: n.age} AS x',
    'MATCH (n:Person) RETURN n.id AS x ORDER BY n.age',
    'MATCH (n:Person) WITH n ORDER BY n.age LIMIT 1 RETURN n.id AS x',
    'MATCH (n:Person) RETURN max(n.age) AS x',
    'MATCH (n:Person) WITH collect(n) AS all RETURN [x IN all | x.age] AS x',
    'MATCH (n:Person) WITH {a: n} AS map RETURN map.a.age AS x',
    'MATCH ()-[r:FRIEND]->() RETURN startNode(r).age AS x',
    'MATCH p = (:Person)-[:FRIEND*1..2]->() RETURN [n IN nodes(p) | n.age] AS x',
    'MATCH (n:Person) RETURN CASE n.age WHEN 1 THEN 1 ELSE 2 END AS x',
    'MATCH (n:Person) RETURN CASE WHEN n.age = 1 THEN 1 END AS x',
    'MATCH (n:Person) RETURN toString(n.age) AS x',
    'MATCH (n:Person) CALL (n) { RETURN n.age AS a } RETURN a AS x',
    'MATCH (n:Person) CALL { WITH n RETURN n.age AS a } RETURN a AS x',
    'MATCH (n:Person) WHERE EXISTS { (n)-[:FRIEND]->(m) WHERE m.age = 1 } RETURN n.id AS x',
    'MATCH (n:Person) RETURN COLLECT { MATCH (n)-[:FRIEND]->(m) RETURN m.age } AS x',
    'MATCH (n:Person) RETURN [(n)-[:FRIEND]->(m) | m.age] AS x',
    'MATCH (n:Person) RETURN n.id AS x UNION MATCH (n:Person) RETURN n.age AS x',
    'MATCH (n:Person) RETURN reduce(s = 0, each IN [n] | s + each.age) AS x',
  ])('a closed property is not to be named: %s', (cypher) => {
    expect(refusal(cypher, conditions)).toMatchObject({
      code: -32013,
      message: `The predicate ${base}age is closed to the caller (policy rule a-rule)`,
      data: { reason: 'closed-predicate', predicate: `${base}age`, rule: 'a-rule', retryable: false },
    });
  });

  test.each([
    'MATCH ()-[:BOSS]->(n) RETURN n.id AS x',
    'MATCH ()<-[:BOSS]-(n) RETURN n.id AS x',
    'MATCH ()-[r:FRIEND|BOSS]->(n) RETURN n.id AS x',
    'MATCH ()-[:!BOSS]->(n) RETURN n.id AS x',
    'MATCH ()-[:!(FRIEND|BOSS)]->(n) RETURN n.id AS x',
    'MATCH ()-[:`BOSS`]->(n) RETURN n.id AS x',
    'MATCH ()-[:FRIEND&!BOSS]->(n) RETURN n.id AS x',
    'MATCH ()-[:BOSS*1..3]->(n) RETURN n.id AS x',
    'MATCH ()-[:FRIEND|BOSS*]->(n) RETURN n.id AS x',
    'MATCH ()-[:BOSS]->{1,2}(n) RETURN n.id AS x',
    'MATCH ()-[:BOSS]->+(n) RETURN n.id AS x',
    'MATCH ((a)-[:BOSS]->(b)){1,2} (n) RETURN n.id AS x',
    'MATCH (a:Person), (n:Person), p = shortestPath((a)-[:BOSS*]-(n)) RETURN n.id AS x',
    'OPTIONAL MATCH ()-[:BOSS]->(n) RETURN n.id AS x',
    'MATCH (n:Person) WHERE (n)-[:BOSS]->() RETURN n.id AS x',
    'MATCH (n:Person) WHERE NOT exists((n)-[:BOSS]->()) RETURN n.id AS x',
    'MATCH (n:Person) WHERE EXISTS { (n)-[:BOSS]->() } RETURN n.id AS x',
    'MATCH (n:Person) RETURN COUNT { (n)-[:BOSS]->() } AS x',
    'MATCH (n:Person) RETURN [(n)-[:BOSS]->(m) | m.id] AS x',
    'MATCH ()-[r]->(n) WHERE r:BOSS RETURN n.id AS x',
    'MATCH ()-[r]->(n) RETURN NOT r:FRIEND|BOSS AS x',
    'MATCH (n:Person) CALL (n) { MATCH (n)-[:BOSS]->(m) RETURN m } RETURN m.id AS x',
  ])('a closed relationship type is not to be named: %s', (cypher) => {
    expect(refusal(cypher, conditions).data).toMatchObject({ predicate: `${base}boss` });
  });

  test.each([
    'MATCH (n:Place) RETURN n.id AS x',
    'MATCH (n:Entity&Place) RETURN n.id AS x',
    'MATCH (n:Person|Place) RETURN n.id AS x',
    'MATCH (n:Person:Place) RETURN n.id AS x',
    'MATCH (n:!Place) RETURN n.id AS x',
    'MATCH (n:!(Person|Place)) RETURN n.id AS x',
    'MATCH (n:`Place`) RETURN n.id AS x',
    'MATCH (n IS Place) RETURN n.id AS x',
    'MATCH (:Person)-->(:Place) RETURN 1 AS x',
    'MATCH (n:Person) MATCH (n:Place) RETURN 1 AS x',
    'MATCH (n:Person) WHERE n:Place RETURN 1 AS x',
    'MATCH (n:Person) WHERE NOT n:Place RETURN 1 AS x',
    'MATCH (n:Person) WHERE n IS Place RETURN 1 AS x',
    'MATCH (n:Person) WHERE NOT (n)--(:Place) RETURN 1 AS x',
    'MATCH (n:Person) RETURN CASE WHEN n:Place THEN 1 END AS x',
    'MATCH (n:Person) WHERE any(m IN COLLECT { MATCH (n)-->(m) RETURN m } WHERE m:Place) RETURN 1 AS x',
    'MATCH (a:Person) ((b)-->(:Place)){0,1} () RETURN 1 AS x',
  ])('a closed label is not to be named: %s', (cypher) => {
    expect(refusal(cypher, conditions).data).toEqual({
      reason: 'closed-class',
      class: `${base}Place`,
      rule: 'a-rule',
      retryable: false,
    });
  });

  test.each<[string, unknown[][]]>([
    ['MATCH (n) RETURN n.id AS x ORDER BY x', [['ann'], ['bob'], [null], [null]]],
    ['MATCH (n:Entity) RETURN n.id AS x ORDER BY x', [['ann'], ['bob']]],
    ['MATCH (n:%) RETURN count(*) AS x', [[4]]],
    ['MATCH (n:!Person) RETURN n.value AS x ORDER BY x', [['Ann'], ['Bob']]],
    ["MATCH (n:Entity {id: 'cy'}) RETURN n.id AS x", []],
    [`MATCH (n:Entity) WHERE n.type = '${base}Place' RETURN n.id AS x`, []],
    [
      'MATCH ()-->(n) RETURN n.id AS x, n.value AS y ORDER BY x, y',
      [
        ['bob', null],
        [null, 'Ann'],
        [null, 'Bob'],
      ],
    ],
    ['MATCH ()-[r]->() RETURN DISTINCT type(r) AS x ORDER BY x', [['FRIEND'], ['NAME']]],
    ['MATCH ()-[r:!NAME]->() RETURN r.predicate AS x', [[`${base}friend`]]],
    ['MATCH ()-[r:%]->() RETURN count(*) AS x', [[3]]],
    ["MATCH ()-[r]->() WHERE type(r) = 'BOSS' RETURN r.statementId AS x", []],
    ['MATCH ()-[r]->() WHERE r.predicate = $iri RETURN r.statementId AS x', []],
    ["MATCH ({id: 'ann'})-[*1..3]->(n) RETURN count(*) AS x", [[3]]],
    ["MATCH p = ({id: 'ann'})-[*0..3]->() RETURN max(length(p)) AS x", [[2]]],
    ["MATCH ({id: 'ann'})-->+(n) RETURN count(*) AS x", [[3]]],
    ["MATCH ({id: 'ann'}) ((a)-[r]->(b)){1,3} (n) RETURN count(*) AS x", [[3]]],
    [
      "MATCH (a:Person {id: 'ann'}), (b:Person {id: 'bob'}), p = shortestPath((a)-[*..5]-(b)) RETURN length(p) AS x",
      [[1]],
    ],
    ["MATCH (n {id: 'ann'}) RETURN COUNT { (n)--() } AS x", [[2]]],
    ["MATCH (n {id: 'ann'}) RETURN size([(n)-->(m) | m.id]) AS x", [[2]]],
    ["MATCH (n {id: 'dee'}) RETURN n.id AS x", []],
    ["MATCH (n {id: 'ann'}) OPTIONAL MATCH (n)-->(m {id: 'oslo'}) RETURN m.id AS x", [[null]]],
    ["MATCH (n {id: 'ann'})-[:WORKS_AT]->(m) RETURN m.id AS x", []],
    ["MATCH (n {id: 'ann'}) RETURN labels(n) AS x", [[['Entity', 'Person']]]],
    ['MATCH (n:Class|Predicate|Change|Update) RETURN count(*) AS x', [[0]]],
    ['MATCH (n:Person) RETURN count(n) AS x', [[2]]],
    [
      'MATCH (n:Person) RETURN n.name AS x, n.former AS y ORDER BY x',
      [
        ['Ann', null],
        ['Bob', null],
      ],
    ],
  ])('what is closed and not named is not there: %s', async (cypher, expected) => {
    expect(await ask(cypher, conditions, { iri: `${base}boss` })).toEqual(expected);
  });
});

test.each([
  'MATCH (n:Person) RETURN n[$key] AS x',
  'MATCH (n:Person) RETURN n {.*} AS x',
  'MATCH (n:Person) RETURN properties(n) AS x',
  'MATCH (n:Person) RETURN keys(n) AS x',
  'MATCH (n:$($label)) RETURN n.id AS x',
  'MATCH ()-[r:$($label)]->() RETURN r.predicate AS x',
  'MATCH (n:Person) RETURN n AS x',
])('nothing reads what it does not name: %s', (cypher) => {
  expect(() => qualifier.qualify(cypher, closed)).toThrow(/^Cypher may not use/);
});

test('what ended is closed as of then, and its type is in no property', async () => {
  const then = { ...closed, asOf: new Date(start + 1_000) };
  expect(await ask('MATCH ()-[r]->() RETURN r.relationshipType AS x', then)).toEqual([[null], [null], [null]]);
  const openThen = { ...open, asOf: new Date(start + 1_000) };
  expect(await ask("MATCH ({id: 'bob'})-[r:BOSS]->(n) RETURN n.id AS x ORDER BY x", openThen)).toEqual([
    ['ann'],
    ['cy'],
  ]);
});

test('names count where they are one: as keys of maps, columns, and properties of relationships they are free', async () => {
  const certainty = {
    tenant,
    closed: closedOf({ predicates: ['certainty', 'statementId', 'Person', 'value'], classes: [] }),
  };
  expect(await ask('MATCH ()-[r:FRIEND]->() RETURN r.certainty AS x', certainty)).toEqual([[null]]);
  expect(await ask('WITH {age: 1} AS m RETURN m.age AS age, m {.age} AS BOSS', closed)).toEqual([[1, { age: 1 }]]);
  // A label that is spelled as a closed type, and a literal's own property.
  expect(await ask('MATCH (n:Person) RETURN count(*) AS x', certainty)).toEqual([[4]]);
  expect(await ask('MATCH (:Person)-[:NAME]->(v) RETURN v.value AS x ORDER BY x', certainty)).toEqual([
    ['Ann'],
    ['Bob'],
  ]);
});

test('texts are kept apart by what is closed, and are those of before where nothing is', () => {
  const cypher = 'MATCH (n:Person)-[:BOSS]->(m) RETURN m.id AS x';
  const before = qualifier.qualify(cypher, open).cypher;
  expect(() => qualifier.qualify(cypher, closed)).toThrow(ConcordError);
  expect(qualifier.qualify(cypher, open).cypher).toBe(before);
  expect(before).not.toContain('closed');
});

test('a predicate that has no name yet is hidden all the same, and may not be named once it has one', async () => {
  const unnamed = { predicates: new Map([[`${base}boss`, 'a-rule']]), classes: new Map<string, string>() };
  const nothing = new Map<string, string>();
  const early = { tenant, closed: { ...unnamed, labels: nothing, types: nothing, properties: nothing } };
  const cypher = 'MATCH ()-[r:BOSS]->() RETURN count(*) AS x';
  expect(await ask(cypher, early)).toEqual([[0]]);
  expect(() => qualifier.qualify(cypher, { tenant, closed: closedOf({ predicates: ['boss'] }) })).toThrow(ConcordError);
});
