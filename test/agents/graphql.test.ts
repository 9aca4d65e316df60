import { expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { withAgents } from '../../src/agents/graphql.ts';

const nobody = async () => ({ agents: [] });

test('a class of the vocabulary whose plural is agents keeps its field', () => {
  const schema = buildSchema('scalar JSON scalar DateTime type Query { agents: [String!]! }');
  expect(withAgents(schema, { list: nobody, find: nobody })).toBe(schema);
});
