import { expect, test } from '@jest/globals';
import { type ChangeWhere, compileFilter } from '../../src/changes/filter.ts';
import type { LoggedChange } from '../../src/graph/updates/changeLog.ts';

const change: LoggedChange = {
  sequence: 1,
  changeId: 'c',
  op: 'add',
  statement: { subject: { id: 's' }, predicate: { id: 'p' }, object: { id: 'o' }, graph: 'g' },
  timestamp: '2024-01-01T00:00:00.000Z',
  updateId: 'u',
  revision: 1,
  sourceAgentId: 'ann',
};
const literal: LoggedChange = {
  ...change,
  statement: {
    subject: { id: 's' },
    predicate: { id: 'p' },
    object: { value: 7, type: 'http://www.w3.org/2001/XMLSchema#integer' },
  },
};
const passes = (where: ChangeWhere | null | undefined, of = change) => compileFilter(where)(of);

test('without conditions every change passes', () => {
  expect([passes(undefined), passes(null), passes({}), passes({ op: null }), passes({ op: {} })]).toEqual(
    Array(5).fill(true),
  );
});

test.each<[keyof ChangeWhere, string]>([
  ['op', 'add'],
  ['subject', 's'],
  ['predicate', 'p'],
  ['object', 'o'],
  ['graph', 'g'],
  ['sourceAgentId', 'ann'],
])('%s is compared with one value and with several', (field, value) => {
  expect(passes({ [field]: { eq: value } })).toBe(true);
  expect(passes({ [field]: { eq: 'other' } })).toBe(false);
  expect(passes({ [field]: { in: ['other', value] } })).toBe(true);
  expect(passes({ [field]: { in: ['other'] } })).toBe(false);
  expect(passes({ [field]: { in: [] } })).toBe(false);
  expect(passes({ [field]: { eq: value, in: ['other'] } })).toBe(false);
});

test('all conditions must hold', () => {
  expect(passes({ subject: { eq: 's' }, predicate: { eq: 'p' } })).toBe(true);
  expect(passes({ subject: { eq: 's' }, predicate: { eq: 'other' } })).toBe(false);
});

test('a literal is compared as text', () => {
  expect(passes({ object: { eq: '7' } }, literal)).toBe(true);
  expect(passes({ object: { eq: '8' } }, literal)).toBe(false);
});

test('null is the default graph, and no list holds it', () => {
  expect(passes({ graph: { eq: null } }, literal)).toBe(true);
  expect(passes({ graph: { eq: null } })).toBe(false);
  expect(passes({ graph: { in: ['g', 'undefined'] } }, literal)).toBe(false);
});
