import { expect, test } from '@jest/globals';
import { hopsOf, requireNoLoop } from '../../../src/agents/delegation/hops.ts';

const saying = (hops: unknown) => ({ 'concord.delegation': { hops } });

test('who delegates is the last of those who have handed it on', () => {
  expect(hopsOf(undefined, 'ana')).toEqual(['ana']);
  expect(hopsOf(saying(['ana', 'bob']), 'bob')).toEqual(['ana', 'bob']);
  expect(hopsOf(saying(['ana', 'bob']), 'cleo')).toEqual(['ana', 'bob', 'cleo']);
  expect(hopsOf(saying(['ana']), undefined)).toEqual(['ana']);
  expect(() => hopsOf(saying('ana'), 'bob')).toThrow('concord.delegation');
});

test('what comes back, or was handed on too often, ends', () => {
  expect(() => requireNoLoop(['ana', 'bob'], 'cleo')).not.toThrow();
  expect(() => requireNoLoop(['ana'], 'ana')).toThrow('comes back to ana');
  expect(() => requireNoLoop('abcdefgh'.split(''), 'i')).toThrow('handed on 8 times');
});
