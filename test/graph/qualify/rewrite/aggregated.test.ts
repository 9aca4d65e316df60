import { expect, test } from '@jest/globals';
import { Qualifier } from '../../../support/qualifier.ts';
import { leakVocabulary, projectedFields } from '../vocabulary.ts';

const qualifier = new Qualifier(projectedFields(leakVocabulary));
const occurrences = (text: string, of: RegExp) => text.match(of)?.length ?? 0;

test('what several aggregating functions take is worked out once, before the projection', () => {
  const query = 'MATCH (p:Person) RETURN min(p.age) AS low, max(p.age) AS high, avg(p.age) AS middle';
  const { cypher } = qualifier.qualify(query, { tenant: 'north', requiredCertainty: 0.5 });
  expect(occurrences(cypher, /v1\.`age`/g)).toBe(1);
  expect(cypher).toMatch(
    /WITH \*, head\(\[.+CASE .+\) AS (v\d+)\nRETURN min\(\1\) AS v\d+, max\(\1\) AS v\d+, avg\(\1\) AS v\d+$/,
  );
});

test('so it is where nothing but its type is asked', () => {
  const query = 'MATCH (p:Person) RETURN min(p.height) AS low, max(p.height) AS high';
  expect(qualifier.qualify(query, { tenant: 'north' }).cypher).toMatch(
    /WITH \*, \(CASE .+ v1\.`height` END\) AS (v\d+)\nRETURN min\(\1\) AS v\d+, max\(\1\) AS v\d+$/,
  );
});

test('what one of them takes stays where it is, and a property that may be read as it is stays as well', () => {
  const query = 'MATCH (p:Person) RETURN min(p.age) AS low, max(p.height) AS high';
  const certain = qualifier.qualify(query, { tenant: 'north', requiredCertainty: 0.5 }).cypher;
  expect(certain).not.toContain('WITH');
  expect(certain).toMatch(
    /RETURN min\(.+CASE .+ v1\.`age` END.+\) AS v\d+, max\(.+CASE .+ v1\.`height` END.+\) AS v\d+$/,
  );
  expect(qualifier.qualify(query, { tenant: 'north' }).cypher).toMatch(
    /RETURN min\(\(CASE .+ THEN v1\.`age` END\)\) AS v\d+, max\(\(CASE .+ THEN v1\.`height` END\)\) AS v\d+$/,
  );
});

const inside = 'COLLECT { MATCH (p)-->(q) RETURN max(p.age) AS c }';

test('what a sub-query aggregates groups nothing outside: its rows may be ordered by what they do not show', () => {
  const query = `MATCH (p:Person) RETURN ${inside} AS most ORDER BY p.name`;
  const { cypher } = qualifier.qualify(query, { tenant: 'north', requiredCertainty: 0.5 });
  expect(cypher).toMatch(/ORDER BY .*v1\.`name`/);
  const grouped = 'MATCH (p:Person) RETURN count(*) AS c ORDER BY p.name';
  expect(() => qualifier.qualify(grouped, { tenant: 'north' })).toThrow('the unknown variable p');
});

test('what a sub-query aggregates is not worked out before the projection around it', () => {
  const query = `MATCH (p:Person) RETURN ${inside} AS most, max(p.age) AS age`;
  const { cypher } = qualifier.qualify(query, { tenant: 'north', requiredCertainty: 0.5 });
  expect(cypher).not.toContain('WITH');
});
