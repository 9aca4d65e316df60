import { expect, test } from '@jest/globals';
import { Qualifier } from '../../../support/qualifier.ts';

const qualifier = new Qualifier(new Map());
const usesIndex = (text: string) => qualifier.qualify(text, { tenant: 'north' }).usesIndex;

test.each([
  'MATCH (n:Person) RETURN n.id AS i',
  'MATCH (n:Entity:Person) RETURN n.id AS i',
  'MATCH (n {id: $id})-->(m) RETURN m.id AS i',
  'MATCH (n WHERE n.id = $id)-->(m) RETURN m.id AS i',
  'MATCH (n)-->(m) WHERE m.name = 1 AND (n.id IN $ids) RETURN m.id AS i',
  'MATCH (n:Person), (n)-->(m), (k)<--(m) RETURN k.id AS i',
  'MATCH (n:Person) MATCH (n)-->(m) RETURN EXISTS { (m)-->() } AS i',
  'MATCH (n:Person) CALL (n) { MATCH (n)-->(m) RETURN m } RETURN m.id AS i',
])('this can begin at an index: %s', (text) => {
  expect(usesIndex(text)).toBe(true);
});

test.each([
  'MATCH (n) RETURN n.id AS i',
  'MATCH (n:Entity) WHERE n.name = 1 RETURN n.id AS i',
  'MATCH (n:!Person) RETURN n.id AS i',
  'MATCH (n:Person|City|Entity) RETURN n.id AS i',
  'MATCH (n:Person), (m) RETURN m.id AS i',
  'MATCH (n) WHERE n.id = $id OR n.name = 1 RETURN n.id AS i',
  'MATCH (n) WHERE n.id <> $id RETURN n.id AS i',
  'MATCH (n:Person) RETURN COUNT { (m)-->() } AS i',
  'RETURN 1 AS i',
])('this cannot: %s', (text) => {
  expect(usesIndex(text)).toBe(false);
});
