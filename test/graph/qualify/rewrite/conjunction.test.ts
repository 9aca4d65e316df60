import { expect, test } from '@jest/globals';
import type { Conditions } from '../../../../src/graph/qualify/text/conditions.ts';
import { Qualifier } from '../../../support/qualifier.ts';
import { leakVocabulary, projectedFields } from '../vocabulary.ts';

const qualifier = new Qualifier(projectedFields(leakVocabulary));
const certain: Conditions = { tenant: 'north', requiredCertainty: 0.5 };
const asksEntity = (query: string) =>
  qualifier.qualify(query, { tenant: 'north', requiredCertainty: 0.5 }).cypher.includes('highest__certainty');

test.each([
  'MATCH (p:Person) WHERE p.age > $age RETURN count(p) AS c',
  'MATCH (p:Person) WHERE (p.age > 3 AND p.age < $age) RETURN count(p) AS c',
  'MATCH (p:Person) WHERE p.age IN $ages RETURN count(p) AS c',
  'MATCH (p:Person {age: 3}) RETURN count(p) AS c',
  'RETURN COUNT { MATCH (p:Person) WHERE p.age = 3 } AS c',
])('an entity of which a certain property is compared is certainly there: %s', (query) => {
  expect(asksEntity(query)).toBe(false);
});

test.each([
  'MATCH (p:Person) WHERE p.age > 3 OR p.id = $id RETURN count(p) AS c',
  'MATCH (p:Person) WHERE NOT p.age > 3 RETURN count(p) AS c',
  'MATCH (p:Person) WHERE p.id = $id RETURN count(p) AS c',
  'MATCH (p:Person) WHERE p.age > 3 XOR p.id = $id RETURN count(p) AS c',
  'MATCH (p:Person) WHERE p.age IS NULL RETURN count(p) AS c',
  'MATCH (p:Person) WHERE p.age > COUNT { (p)-->() } RETURN count(p) AS c',
  'MATCH (p:Person {age: 1 / $age}) RETURN count(p) AS c',
  'MATCH (p:Person) WHERE p.age > 1 / $age RETURN count(p) AS c',
  'MATCH (p:Person) WHERE p.age <> {of: 1 / $age} RETURN count(p) AS c',
  'MATCH (p:Person) WHERE p.age <> [1 / $age] RETURN count(p) AS c',
  'MATCH (p:Person), (q:Person) WHERE p.age > 3 RETURN count(p) AS c',
])('it is asked for where the condition may hold without it, or fail for what is hidden: %s', (query) => {
  expect(asksEntity(query)).toBe(true);
});

test.each([
  'MATCH (p:Person) WHERE p.age > 3 AND 1 / $age > 0 RETURN count(p) AS c',
  'MATCH (p:Person {id: toString(1 / $age)}) WHERE p.age > 3 RETURN count(p) AS c',
  'MATCH (p:Person where 1 / $age > 0) WHERE p.age > 3 RETURN count(p) AS c',
])('what can fail is asked behind the comparison that tells that the entity is there: %s', (query) => {
  const { cypher } = qualifier.qualify(query, { tenant: 'north', requiredCertainty: 0.5 });
  expect(cypher).toMatch(/age__certainty.*\nWITH \*, \(.* \/ .*\) AS (v\d+) WHERE \1\n/);
});

/** Whether a condition stands in a `CASE`, behind what makes the pattern visible. */
const mustWait = (condition: string, before = '') =>
  qualifier
    .qualify(`MATCH (a:Person) ${before} OPTIONAL MATCH (n:Person) WHERE ${condition} RETURN n.id AS i`, {
      tenant: 'north',
    })
    .cypher.includes('.`tenant` = $ownTenant AND CASE WHEN v');

test.each([
  '$p',
  'n',
  '(n.id)',
  'NOT n.id',
  'NOT (n.id)',
  'NOT [n.id]',
  "NOT 'text'",
  'NOT coalesce(n.id, 1)',
  'NOT COUNT { (n)-->() }',
  'n.id =~ $p',
  'n.id IS NORMALIZED',
  'n.id IN n.name',
  'n.id + 1 > 2',
  'toInteger(n.id) > 1',
  'labels(coalesce(n, 1)) = $p',
  '[x IN [n, 1] | x.id] = $p',
  'exists((n)-[{certainty: 1 / n.id}]->())',
  'EXISTS { (m:Person WHERE n.name)-->(n) }',
  'EXISTS { (n)-[r WHERE n.name]->() }',
  'EXISTS { (n)-->(m) WHERE m.id }',
  'EXISTS { MATCH (n)-->(m) WHERE m.id RETURN m.id AS x }',
  'EXISTS { MATCH (n)-->(m) RETURN 1 / m.id AS x }',
  'EXISTS { MATCH (n)-->(m) WITH 1 / m.id AS y RETURN y AS x }',
])('this can fail, so it is asked of what is visible: %s', (condition) => {
  expect(mustWait(condition)).toBe(true);
});

test.each([
  'true',
  'n:Person',
  'n.id > $p',
  'n.id IN $p',
  'n.id IN [1, 2]',
  'NOT n.id = 1 OR n.name IS NULL',
  'labels(n) = $p',
  'coalesce(n.id, 1) > 2',
  'exists((n)-[{certainty: 1}]->())',
  'EXISTS { (n)-[r:FRIEND]->(m) WHERE m.id > 1 AND type(r) = $p }',
  'EXISTS { MATCH (n)-->(m) RETURN m.id AS x }',
])('this cannot fail, so that Neo4j may ask it in any order: %s', (condition) => {
  expect(mustWait(condition)).toBe(false);
});

test.each(['x.id = 1', 'labels(x) = $p'])('what is asked of a node can fail of what may be none: %s', (condition) => {
  expect(mustWait(condition, 'WITH [a, 1][0] AS x')).toBe(true);
});

test('what holds a sub-query is asked behind the pattern, so that Neo4j plans it once', () => {
  const { cypher } = qualifier.qualify('MATCH (n:Person) WHERE COUNT { (n)-->() } > 1 RETURN n.id AS i', {
    tenant: 'north',
  });
  expect(cypher.split('\n')[2]).toMatch(/^WITH \*, \(\(COUNT/);
});

test('in the search for a shortest path nothing is asked behind it', () => {
  const text =
    'MATCH (a:Person), (b:Person) MATCH p = shortestPath((a)-[:FRIEND*]-(b)) WHERE 1 / a.age > 1 RETURN length(p) AS i';
  const { cypher } = qualifier.qualify(text, { tenant: 'north' });
  expect(cypher).toMatch(/THEN \(\(\$l\d \/ \(CASE WHEN .+ THEN v1\.`age` END\)\) > \$l\d\) ELSE false END/);
  expect(cypher).not.toContain('WITH');
});

test('a comparison of what is worked out already compares that', () => {
  const text = 'MATCH (n:Person) WITH n, n.age AS y WHERE n.age > 1 RETURN y';
  expect(qualifier.qualify(text, certain).cypher).toMatch(/ AS (v\d+) WHERE \(\1 > \$l\d\)/);
});

test('a pattern of text is asked of what qualifies, in a list as well', () => {
  const text = 'MATCH (n:Person) RETURN [x IN [n] WHERE x.name =~ $p | x.id] AS y';
  expect(qualifier.qualify(text, certain).cypher).toContain('THEN v2.`name` END) =~ $g1');
});

test('a parameter behind IN is a list or nothing, so that it cannot fail', () => {
  const text = 'MATCH (n:Person) WHERE n.id IN $ids RETURN n.id AS i';
  const { parametersFor } = qualifier.qualify(text, { tenant: 'north' });
  expect(parametersFor({ ids: null })).toMatchObject({ g1: null });
  expect(() => parametersFor({ ids: 'a' })).toThrow('the parameter $ids as a list');
});

/** What is asked of what is visible, where no `WITH` can stand, and what makes it visible. */
const guardOf = (pattern: string, conditions: Conditions) => {
  const text = `MATCH (a:Person) OPTIONAL MATCH ${pattern} RETURN a.id AS i`;
  const { cypher } = qualifier.qualify(text, conditions);
  return cypher
    .match(/CASE WHEN (.*?) THEN (?:\(\(?|all\(.*)\$l/)?.[1]
    ?.replaceAll(/v\d+/g, 'v')
    .replaceAll(/\$l\d/g, '$l');
};
const isOfTenant = 'v.`tenant` = $ownTenant';
const isCertain = 'coalesce(v.`certainty`, 1.0) >= $ownCertainty';
const isStated = 'v.`statementId` IS NOT NULL';
const isPassed = `${isStated} AND endNode(v).\`tenant\` = $ownTenant AND (endNode(v):\`Entity\`|\`Literal\`)`;
const isCertainty = 'coalesce(v.`certainty`, 1.0) <= 1.0';

test.each<[string, Conditions, string[]]>([
  ['(a)-[:FRIEND]->(b) WHERE 1 / b.age > 1', { tenant: 'north' }, [isStated, isOfTenant]],
  ['(a)-[:FRIEND]->{1,2}(b) WHERE 1 / b.age > 1', { tenant: 'north' }, [isOfTenant, `all(v IN v WHERE ${isPassed})`]],
  ['(a)-[:FRIEND*1..2]->(b) WHERE 1 / b.age > 1', { tenant: 'north' }, [`all(v IN v WHERE ${isPassed})`, isOfTenant]],
  ['(a)-[:FRIEND*1..2 {certainty: 1 / $x}]->(b)', { tenant: 'north' }, [`all(v IN v WHERE ${isPassed})`, isOfTenant]],
  ['(b:Person) WHERE 1 / b.age > 1', certain, [isOfTenant, 'coalesce(v.`highest__certainty`, 1.0) >= $ownCertainty']],
  ['(a)-[r:FRIEND]->(b) WHERE 1 / r.certainty > 1', certain, [isStated, isCertain, isCertainty, isOfTenant]],
  [
    '((a)-[r:FRIEND]->(b) WHERE b.id > 1) WHERE 1 / r.certainty > 1',
    certain,
    [isStated, isCertain, isCertainty, isOfTenant],
  ],
])(
  'where no WITH can stand, what can fail waits for all that makes the pattern visible: %s',
  (pattern, conditions, guard) => {
    expect(guardOf(pattern, conditions)).toBe(guard.join(' AND '));
  },
);
