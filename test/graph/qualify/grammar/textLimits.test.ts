import { expect, test } from '@jest/globals';
import { LimitExceeded } from '../../../../src/base/limitExceeded.ts';
import { Qualifier } from '../../../support/qualifier.ts';
import { leakVocabulary, projectedFields } from '../vocabulary.ts';

const qualifier = new Qualifier(new Map());
const nested = (levels: number, before: string, after: string) =>
  `RETURN ${before.repeat(levels)}1${after.repeat(levels)} AS x`;
const refusal = (text: string, isOwn = false) => {
  try {
    qualifier.qualify(text, { tenant: 'north' }, false, isOwn);
    return undefined;
  } catch (error) {
    if (error instanceof LimitExceeded) return error.data;
    throw error;
  }
};

test.each([
  ['brackets', (levels: number) => nested(levels, '[', ']'), 16],
  ['parentheses', (levels: number) => nested(levels, '(', ')'), 16],
  ['maps', (levels: number) => nested(levels, '{a: ', '}'), 16],
  ['CASE', (levels: number) => nested(levels, 'CASE WHEN true THEN ', ' END'), 16],
  ['COLLECT', (levels: number) => nested(levels, 'COLLECT { RETURN ', ' AS x }'), 8],
  ['COUNT', (levels: number) => nested(levels, 'COUNT { MATCH (a) WHERE 0 < ', ' }'), 8],
])('%s may be nested as deeply as the limit says, and no deeper', (_, text, limit) => {
  expect(refusal(text(limit))).toBeUndefined();
  expect(refusal(text(limit + 1))).toEqual({
    reason: 'too-deep',
    limit,
    found: limit + 1,
    retryable: false,
  });
});

test.each([
  ['words', `RETURN [${Array(2_500).fill('1').join(', ')}] AS x`, 5_000],
  ['clauses', `${'WITH 1 AS x '.repeat(64)}RETURN x`, 64],
  ['nodes and relationships', `MATCH (a)${'--()'.repeat(20)} RETURN 1 AS x`, 40],
])('a text of too many %s is refused', (_, text, limit) => {
  expect(refusal(text)).toMatchObject({ reason: 'too-large', limit, retryable: false });
});

test.each([
  ["an agent's", false],
  ["the schema's", true],
])('a short text of %s that its conditions make long is refused, and its length is told', (_, isOwn) => {
  const conditions = { tenant: 'north', asOfRevision: 1 };
  const asked = Array.from({ length: 500 }, (_each, index) => `n.age = ${index}`);
  const text = `MATCH (n:Person) WHERE ${asked.join(' OR ')} RETURN n.id AS id`;
  const made = () => new Qualifier(projectedFields(leakVocabulary)).qualify(text, conditions, false, isOwn);
  expect(made).toThrow(/becomes \d+ characters under its conditions, more than the limit of 100000; split it/);
});

test("the schema's own texts are held to none of these", () => {
  expect(refusal(nested(20, '[', ']'), true)).toBeUndefined();
});

test('brackets in strings, names and comments do not count', () => {
  const brackets = '[({'.repeat(50);
  expect(refusal(`RETURN '${brackets}' AS \`${brackets}\` // ${brackets}`)).toBeUndefined();
});
