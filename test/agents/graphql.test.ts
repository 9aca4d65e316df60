import { expect, test } from '@jest/globals';
import { buildSchema, execute, parse } from 'graphql';
import { withAgents } from '../../src/agents/graphql.ts';
import type { Call } from '../../src/calls/call.ts';

const nobody = async () => ({ agents: [] });

test('a class of the vocabulary whose plural is agents keeps its field', () => {
  const schema = buildSchema('scalar JSON scalar DateTime type Query { agents: [String!]! }');
  expect(withAgents(schema, { list: nobody, find: nobody })).toBe(schema);
});

test('what is asked ends with the call that asks it', async () => {
  const signals: AbortSignal[] = [];
  const noting = async (_: unknown, { signal }: Call) => {
    signals.push(signal);
    return { agents: [] };
  };
  const schema = withAgents(buildSchema('scalar JSON scalar DateTime type Query { a: Int }'), {
    list: noting,
    find: noting,
  });
  const { signal } = new AbortController();
  const contextValue = { principal: {}, signal };
  const document = parse('{ all: agents { id } found: agents(words: "x") { id } }');
  const { data } = await execute({ schema, document, contextValue });
  expect(data).toEqual({ all: [], found: [] });
  expect(signals).toEqual([signal, signal]);
  expect(signals.every((each) => each === signal)).toBe(true);
});
