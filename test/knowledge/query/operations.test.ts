import { expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { causeOf, Operations } from '../../../src/knowledge/query/operations.ts';

const operations = () =>
  new Operations(buildSchema('type Query { a(ids: [ID!]): ID }'), { introspection: true, maxDepth: 15 });
const long = (at: number) => `{ a(ids: [${Array.from({ length: 15_000 }, (_, id) => `"${id % 100}${at}"`)}]) }`;

test('a document that was valid once is not parsed again', () => {
  const known = operations();
  const parsed = known.parse('{ a }', 'query');
  expect(known.parse('{ a }', 'query') === parsed).toBe(true);
});

test('few long ones are kept: each takes some megabytes', () => {
  const known = operations();
  const documents = Array.from({ length: 10 }, (_, at) => known.parse(long(at), 'query'));
  const isKept = (at: number) => known.parse(long(at), 'query') === documents[at];
  expect([isKept(9), isKept(0)]).toEqual([true, false]);
});

test('a query is too deep where the stack has ended, and for no other range', () => {
  const overflow = () => {
    const deeper = (): number => 1 + deeper();
    return deeper();
  };
  const thrown = (work: () => unknown) => {
    try {
      return work();
    } catch (error) {
      return causeOf(error, 15);
    }
  };
  expect(thrown(overflow)).toMatchObject({ data: { reason: 'too-deep', limit: 15 } });
  const range = thrown(() => new Date(Number.NaN).toISOString()) as Error;
  expect([range.name, range.message]).toEqual(['RangeError', 'Invalid time value']);
});
