import { expect, test } from '@jest/globals';
import { buildSchema, graphqlSync } from 'graphql';
import neo4j from 'neo4j-driver';
import { withSoundValues } from '../../src/schema/scalars.ts';

const schema = withSoundValues(
  buildSchema(`
    scalar Date
    scalar DateTime
    scalar JSON
    scalar Value
    type Query { it: It, statement: Statement }
    type It {
      key: ID!
      name: String
      names: [String!]
      size: Int
      share: Float
      certainty: Float
      isOpen: Boolean
      day: Date
      at: DateTime
      why: JSON
      value: Value
    }
    type Statement { certainty: Float }
  `),
);

const told = (field: string, value: unknown) => {
  const { data, errors } = graphqlSync({
    schema,
    source: `{ it { other: ${field} } }`,
    rootValue: { it: { [field]: value } },
  });
  expect(errors).toBeUndefined();
  return (data as { it: Record<string, unknown> }).it.other;
};

const { Date: Day, DateTime } = neo4j.types;
const now = new DateTime(2024, 1, 2, 3, 4, 5, 0, 0);
const today = new Day(2024, 1, 2);

test.each<[string, unknown[]]>([
  ['name', [5, true, ['x'], now, today, {}, Number.NaN]],
  ['size', ['5', 1.5, 2 ** 31, true, [1], now, Number.NaN]],
  ['share', ['5', 'big', true, [1], now, Number.NaN, Number.POSITIVE_INFINITY]],
  ['isOpen', ['true', 1, [true], now]],
  ['day', ['2024-01-02', 5, now, [today], new Day(999_999_999, 1, 1)]],
  ['at', ['yesterday', 5, today, [now], new DateTime(999_999_999, 1, 1, 0, 0, 0, 0, 0)]],
  ['why', [5, ['x'], now]],
  ['value', [['x'], now, Number.NaN, {}]],
  ['names', ['one', 5, [1, 2], []]],
])('a value that is not of its field is null: %s', (field, values) => {
  for (const value of values) expect(told(field, value) ?? null).toEqual(Array.isArray(value) && !value[0] ? [] : null);
});

test('what is of its field is told', () => {
  expect(told('name', 'x')).toBe('x');
  expect(told('size', -5)).toBe(-5);
  expect(told('share', 0.5)).toBe(0.5);
  expect(told('share', 7)).toBe(7);
  expect(told('certainty', 7.5)).toBe(7.5);
  expect(told('isOpen', false)).toBe(false);
  expect(told('day', today)).toBe(today);
  expect(told('at', now)).toBe(now);
  expect(told('at', '2024-01-02T03:04:05Z')).toBe('2024-01-02T03:04:05Z');
  expect(told('why', '{"source":"x"}')).toBe('{"source":"x"}');
  expect(told('why', JSON.parse('{"source":"x"}'))).toEqual({ source: 'x' });
  for (const value of ['x', 1, false]) expect(told('value', value)).toBe(value);
});

test('of a list it tells those that are of its type', () => {
  expect(told('names', ['a', 5, 'b', null])).toEqual(['a', 'b']);
});

test('a key that is none is empty, so that the row is told', () => {
  for (const value of [undefined, null, 5, ['x']]) expect(told('key', value)).toBe('');
});

test("a statement's certainty is from 0 to 1", () => {
  const certainty = (value: unknown) =>
    graphqlSync({ schema, source: '{ statement { certainty } }', rootValue: { statement: { certainty: value } } }).data;
  for (const value of [0, 0.5, 1]) expect(certainty(value)).toEqual({ statement: { certainty: value } });
  for (const value of [-0.1, 7.5, 'high', Number.NaN])
    expect(certainty(value)).toEqual({ statement: { certainty: null } });
});
