import { expect, test } from '@jest/globals';
import { graphql } from 'graphql';
import { buildSchema } from '../../src/schema/schema.ts';
import { leakVocabulary, names } from '../graph/qualify/vocabulary.ts';

const schema = await buildSchema(leakVocabulary, names);

/** What the caller sees of each person. */
const seen = (value: string | string[], persons: number) =>
  Array.from({ length: persons }, (_, index) => ({ get: (key: string) => (key === 'id' ? `urn:p:${index}` : value) }));

test.each([
  ['of many entities', seen('abcdefghij '.repeat(2_000), 40)],
  ['of one entity', seen(Array(40).fill('abcdefghij '.repeat(2_000)), 1)],
])('while long texts are compared, others have their turn: %s', async (_, records) => {
  const executionContext = {
    indexed: () => undefined,
    choose: async () => ({ records }),
    run: async (cypher: string) => ({
      records: cypher.includes('dbms.components') ? [['5.26.19', 'community']] : [],
      summary: { counters: { updates: () => ({}) } },
    }),
  };
  let turns = 0;
  const counted = setInterval(() => (turns += 1), 0);
  const source = '{ people(matching: {name: "zbcdefghij zbcdefghik"}) { id } }';
  const answer = await graphql({ schema, source, contextValue: { executionContext } });
  clearInterval(counted);
  expect(answer).toEqual({ data: { people: [] } });
  expect(turns).toBeGreaterThan(5);
});
