import { expect, test } from '@jest/globals';
import { Aggregated } from '../../../src/graph/qualify/aggregated.ts';
import { Qualifier } from '../../../src/graph/qualify/qualifier.ts';
import { leakVocabulary, projectedFields } from './vocabulary.ts';

const qualifier = new Qualifier(projectedFields(leakVocabulary));
const occurrences = (text: string, of: RegExp) => text.match(of)?.length ?? 0;

test('what several aggregating functions take is worked out once, before the projection', () => {
  const query = 'MATCH (p:Person) RETURN min(p.age) AS low, max(p.age) AS high, avg(p.age) AS middle';
  const { cypher } = qualifier.qualify(query, { tenant: 'north', requiredCertainty: 0.5 });
  expect(occurrences(cypher, /p\.age\b/g)).toBe(1);
  expect(cypher).toMatch(
    /WITH \*, CASE .+ AS (\w+)\nRETURN min\(\1\) AS low, max\(\1\) AS high, avg\(\1\) AS middle$/,
  );
});

test('what one of them takes stays where it is, and a property that may be read as it is stays as well', () => {
  const query = 'MATCH (p:Person) RETURN min(p.age) AS low, max(p.height) AS high';
  const certain = qualifier.qualify(query, { tenant: 'north', requiredCertainty: 0.5 }).cypher;
  expect(certain).not.toContain('WITH');
  expect(certain).toMatch(/RETURN min\(CASE .+ p\.age END\) AS low, max\(CASE .+ p\.height END\) AS high$/);
  expect(qualifier.qualify(query, { tenant: 'north' }).cypher).toMatch(
    /RETURN min\(p\.age\) AS low, max\(p\.height\) AS high$/,
  );
});

test('an argument comes back as it is, whatever it holds', () => {
  const aggregated = new Aggregated(() => 'v1');
  const taken = aggregated.take('\'$&\' + "$1"');
  expect(aggregated.settle(`RETURN min(${taken})`)).toBe(`RETURN min('$&' + "$1")`);
});
