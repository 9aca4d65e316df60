import { expect, test } from '@jest/globals';
import { graphql } from 'graphql';
import { buildSchema } from '../../src/schema/schema.ts';
import { leakVocabulary, names } from '../graph/qualify/vocabulary.ts';

const schema = await buildSchema(leakVocabulary, names);

test('a sum of whole numbers may be more than an Int', async () => {
  const row = { aggregate: { node: { age: { sum: 4_000_000_000, max: 2_000_000_000 } } } };
  const executionContext = {
    run: async (cypher: string) => ({
      records: cypher.includes('dbms.components') ? [['5.26.19', 'community']] : [{ toObject: () => ({ this: row }) }],
      summary: { counters: { updates: () => ({}) } },
    }),
  };
  const source = '{ peopleConnection { aggregate { node { age { sum max } } } } }';
  const { data, errors } = await graphql({ schema, source, contextValue: { executionContext } });
  expect(errors).toBeUndefined();
  expect(data).toEqual({ peopleConnection: row });
});
