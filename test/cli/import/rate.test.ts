import { expect, test } from '@jest/globals';
import { Rate } from '../../../src/cli/import/rate.ts';

test('the rate of an import that goes on counts what it sends, from when it sends', () => {
  let now = 0;
  const rate = new Rate(1_000_000, () => now);
  now = 60_000;
  expect(rate.of(1_000_000)).toBeUndefined();
  rate.begin();
  now = 62_000;
  rate.begin();
  expect(rate.of(1_004_000)).toBe(2_000);
});
