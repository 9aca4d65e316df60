import { expect, test } from '@jest/globals';
import { Qualifier } from '../../../src/graph/qualify/qualifier.ts';
import { leakVocabulary, projectedFields } from './vocabulary.ts';

const qualifier = new Qualifier(projectedFields(leakVocabulary));
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
