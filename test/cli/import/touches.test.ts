import { expect, test } from '@jest/globals';
import { Touches } from '../../../src/cli/import/touches.ts';
import type { Patch } from '../../../src/client/index.ts';

const link = (op: Patch['op'], subject: string, object: string, graph?: string): Patch => ({
  op,
  statement: {
    subject: { id: subject },
    predicate: { id: 'urn:knows' },
    object: { id: object },
    ...(graph !== undefined && { graph }),
  },
});
const literal = (subject: string, value: string): Patch => ({
  op: 'add',
  statement: {
    subject: { id: subject },
    predicate: { id: 'urn:knows' },
    object: { value, type: 'http://www.w3.org/2001/XMLSchema#string' },
  },
});
const touches = (...patches: Patch[]) => new Touches(patches.map((patch, line) => ({ line, patch })));

test.each([
  ['a link that is added twice', link('add', 'a', 'b'), link('add', 'a', 'b')],
  ['a link that is added and one that replaces it', link('add', 'a', 'b'), link('replace', 'a', 'c')],
  ['a link that is removed and another at its place', link('remove', 'a', 'b'), link('add', 'a', 'c')],
  ['two literals at one place', literal('a', 'one'), literal('a', 'two')],
  ['a literal and a link at one place', literal('a', 'one'), link('add', 'a', 'b')],
])('%s need their order', (_, one, other) => {
  expect(touches(one).needsOrderWith(touches(other))).toBe(true);
  expect(touches(other).needsOrderWith(touches(link('add', 'x', 'y'), one))).toBe(true);
});

test.each([
  ['different links at one place', link('add', 'a', 'b'), link('add', 'a', 'c')],
  ['literals of different subjects', literal('a', 'one'), literal('b', 'one')],
  ['replacements in different graphs', link('replace', 'a', 'b', 'urn:g'), link('replace', 'a', 'c')],
])('%s come to the same, whichever is first', (_, one, other) => {
  expect(touches(one).needsOrderWith(touches(other))).toBe(false);
});
