import { expect, test } from '@jest/globals';
import { counted } from '../../src/base/counted.ts';

test('one is one, and any other number are several', () => {
  expect([0, 1, 2_000].map((count) => counted(count, 'statement'))).toEqual([
    '0 statements',
    '1 statement',
    '2,000 statements',
  ]);
  expect([1, 2].map((count) => counted(count, 'entity', 'entities'))).toEqual(['1 entity', '2 entities']);
});
