import { beforeAll, describe, expect, test } from '@jest/globals';
import { rowsOf } from '../../../support/qualified.ts';
import { Qualifier } from '../../../support/qualifier.ts';
import { emptyGraph } from '../../../support/service.ts';
import { useDatabase } from '../../../support/setUp.ts';
import { leakVocabulary, projectedFields } from '../vocabulary.ts';

const database = useDatabase();
const qualifier = new Qualifier(projectedFields(leakVocabulary));
const north = { tenant: 'north' };

// Another tenant's person is 42 years old, and a doubtful one of no age; a friendship is hidden.
beforeAll(async () => {
  await emptyGraph();
  await database.run(
    'WRITE',
    `UNWIND $people AS each
     CREATE (p:Entity:Person {tenant: each.tenant, id: each.id, age: each.age, highest__certainty: each.highest})
     CREATE (p)-[:AGE {tenant: each.tenant, statementId: randomUUID(), certainty: each.certainty, graph: each.graph}]->(:Literal {tenant: each.tenant, value: each.age})`,
    {
      people: [
        { tenant: 'north', id: 'a', age: 7, certainty: 1 },
        { tenant: 'north', id: 'b', age: 8, certainty: 1 },
        // What is said of its age is no age.
        { tenant: 'north', id: 'doubtful', certainty: 0.1, highest: 0.1, graph: 'urn:hidden' },
        { tenant: 'south', id: 'secret', age: 42, certainty: 1 },
      ],
    },
  );
  await database.run(
    'WRITE',
    `MATCH (a:Person {id: 'a'}), (b:Person {id: 'b'})
     CREATE (a)-[:FRIEND {tenant: 'north', statementId: 'f1', certainty: 1.0, graph: 'urn:seen'}]->(b)
     CREATE (b)-[:FRIEND {tenant: 'north', statementId: 'f2', certainty: 0.1, graph: 'urn:hidden'}]->(a)
     CREATE (a)-[:PAST {tenant: 'north', statementId: 'f3', relationshipType: 'FRIEND', revision: 1, retractedRevision: 3}]->(b)`,
  );
});

const run = (text: string, conditions: Parameters<Qualifier['qualify']>[1] = north, more: object = {}) => {
  return rowsOf(database, qualifier.qualify(text, conditions), { ...more });
};

const fails = '1 / toInteger(n.age - 42) < 5';

/*
 * An expression that fails for some values could tell that such a value is there, though the query may not see it.
 * Neo4j lets a condition that is false outweigh one that fails, in whatever order they are asked; these tests say so of
 * every place where a query can compute.
 */
describe('nothing fails on what is not the tenant’s', () => {
  test.each([
    `MATCH (n:Person) WHERE ${fails} RETURN count(n) AS c`,
    `MATCH (n:Person WHERE ${fails}) RETURN count(n) AS c`,
    `MATCH (n:Person) WHERE n.id <> 'x' AND ${fails} RETURN count(n) AS c`,
    `MATCH (n:Person) WHERE NOT (${fails} AND false) RETURN count(n) AS c`,
    `MATCH (n:Person) WITH n WHERE ${fails} RETURN count(n) AS c`,
    `MATCH (n:Person) WITH * WHERE ${fails} RETURN count(n) AS c`,
    `MATCH (n:Person) WITH n, 1 / toInteger(n.age - 42) AS x WHERE x < 5 RETURN count(n) AS c`,
    `MATCH (n:Person) RETURN count(1 / toInteger(n.age - 42)) AS c`,
    `MATCH (n:Person) WITH n ORDER BY 1 / toInteger(n.age - 42) LIMIT 5 RETURN count(n) AS c`,
    `MATCH (n:Person) WHERE n.id IN n.age OR true RETURN count(n) AS c`,
    `MATCH (n:Person), (m:Person) WHERE 1 / toInteger(n.age + m.age - 84) < 5 RETURN count(n) AS c`,
    `MATCH (n:Person), (m:Person) WHERE 1 / toInteger(n.age - 42) = m.age RETURN count(n) AS c`,
    `MATCH (n:Person) WHERE n.name OR true RETURN count(n) AS c`,
    `MATCH (n:Person) WHERE EXISTS { (n)-[:AGE]->(l) WHERE 1 / toInteger(l.value - 42) < 5 } RETURN count(n) AS c`,
    `MATCH (n:Person) WHERE EXISTS { MATCH (n) WITH 1 / toInteger(n.age - 42) AS x RETURN x } RETURN count(n) AS c`,
    `MATCH (n:Person) WHERE all(x IN [n] WHERE 1 / toInteger(x.age - 42) < 5) RETURN count(n) AS c`,
    `MATCH (n:Person) OPTIONAL MATCH (n)--(:Person) WHERE ${fails} RETURN count(DISTINCT n) AS c`,
    `UNWIND [1] AS one CALL { MATCH (n:Person) WHERE ${fails} RETURN n } RETURN count(n) AS c`,
    `MATCH (n:Person) MATCH (m:Person {age: n.age}) WHERE ${fails} RETURN count(n) AS c`,
    `MATCH (n:Person) MATCH (n)-[:AGE]->(l) WHERE 1 / toInteger(l.value - 42) < 5 RETURN count(n) AS c`,
    `MATCH (n:Person) CALL (n) { RETURN 1 / toInteger(n.age - 42) AS x } RETURN count(n) AS c`,
    `MATCH (n:Person) CALL (n) { WITH n WHERE ${fails} RETURN 1 AS x } RETURN count(n) AS c`,
    `MATCH (n:Person) UNWIND [1 / toInteger(n.age - 42)] AS x RETURN count(n) AS c`,
  ])('%s', async (text) => {
    expect(await run(text)).toEqual([{ c: expect.any(Number) }]);
  });
});

describe('nothing fails on what does not qualify', () => {
  const certain = { tenant: 'north', requiredCertainty: 0.5 };
  const seen = { tenant: 'north', graphs: { default: true, named: ['urn:seen'] } };
  test.each([
    'MATCH (:Person)-[r:FRIEND]->(:Person) WHERE 1 / toInteger(10 * r.certainty - 1) < 5 RETURN count(r) AS c',
    'MATCH (:Person)-[r:FRIEND WHERE 1 / toInteger(10 * r.certainty - 1) < 5]->(:Person) RETURN count(r) AS c',
    'MATCH (:Person) ((x)-[r:FRIEND]->(y) WHERE 1 / toInteger(10 * r.certainty - 1) < 5)+ (:Person) RETURN count(*) AS c',
    'MATCH (n:Person) WHERE n.age >= 0 AND 1 / toInteger(coalesce(n.age, 42) - 42) < 5 RETURN count(n) AS c',
    'MATCH (n:Person WHERE 1 / toInteger(coalesce(n.age, 42) - 42) < 5) WHERE n.age >= 0 RETURN count(n) AS c',
    'MATCH (n:Person) WHERE n.age >= 1 / toInteger(coalesce(n.age, 42) - 42) RETURN count(n) AS c',
    'MATCH (n:Person) WHERE size([(n)-[r:FRIEND]->() WHERE 1 / toInteger(10 * r.certainty - 1) < 5 | r.graph]) >= 0 RETURN count(n) AS c',
    // Of a number a label test fails.
    "MATCH (a:Person {id: 'a'}) UNWIND [1, a] AS x MATCH (n:Person {id: 'doubtful'}) WHERE x:Person RETURN count(n) AS c",
    "UNWIND [1] AS x MATCH (a:Person {id: 'a'}) WITH a, [x, a][0] AS x MATCH (n:Person) WHERE n.id = 'doubtful' AND x:Person RETURN count(n) AS c",
    "MATCH (a:Person {id: 'a'}) UNWIND [1, a] AS x RETURN COUNT { MATCH (n:Person) WHERE n.id = 'doubtful' AND x:Person } AS c LIMIT 1",
  ])('%s', async (text) => {
    for (const conditions of [certain, seen]) expect(await run(text, conditions)).toEqual([{ c: expect.any(Number) }]);
  });
});

test('what can fail is asked behind a repeated relationship that is past, too', async () => {
  const text = `MATCH (n:Person {id: 'a'})
    OPTIONAL MATCH (n)-[:FRIEND]->{1,2}(m) WHERE 1 / size(m.id) = 1 RETURN m.id AS c`;
  expect(await run(text, { tenant: 'north', asOfRevision: 2 })).toEqual([{ c: 'b' }]);
  expect(await run(text)).toEqual([{ c: 'b' }, { c: 'a' }]);
});
