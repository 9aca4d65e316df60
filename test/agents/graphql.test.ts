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

test('a query asks for agents twice at most, under whatever names', async () => {
  let found = 0;
  const counting = async () => {
    found += 1;
    return { agents: [] };
  };
  const schema = withAgents(buildSchema('scalar JSON scalar DateTime type Query { a: Int }'), {
    list: counting,
    find: counting,
  });
  const aliases = Array.from({ length: 60 }, (_, index) => `a${index}: agents(words: "x") { id }`);
  const document = parse(`{ ${aliases.join(' ')} }`);
  const ask = () =>
    execute({ schema, document, contextValue: { principal: {}, signal: new AbortController().signal } });
  const { data, errors } = await ask();
  expect([data, errors?.[0]?.originalError]).toEqual([null, expect.objectContaining({ data: expect.anything() })]);
  expect(errors?.[0]?.originalError).toMatchObject({ data: { reason: 'too-costly', limit: 2 } });
  expect(found).toBe(2);
});
