import { expect, test } from '@jest/globals';
import { Windows } from '../../src/limits/windows.ts';

const policy = { policy: 'address', limit: 3, window: 60 };

test('as many as the limit are admitted, the one after is not, and it is not counted', () => {
  let now = 0;
  const windows = new Windows(policy, () => now);
  const taken = Array.from({ length: 5 }, () => windows.take('a'));
  expect(taken.map(({ isExceeded }) => isExceeded)).toEqual([false, false, false, true, true]);
  expect(taken.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0]);
  expect(windows.take('b')).toEqual({ ...policy, remaining: 2, resetMs: 60_000, isExceeded: false });
  now = 59_999;
  expect(windows.take('a')).toMatchObject({ isExceeded: true, resetMs: 1 });
  now = 60_000;
  expect(windows.take('a')).toMatchObject({ isExceeded: false, remaining: 2, resetMs: 60_000 });
});

test('who has one left may take more than that, and what was not needed is given back', () => {
  const windows = new Windows(policy, () => 0);
  expect(windows.take('a', 2).isExceeded).toBe(false);
  expect(windows.take('a', 5)).toMatchObject({ isExceeded: false, remaining: 0 });
  windows.settle('a', -4);
  expect(windows.take('a').isExceeded).toBe(true);
  windows.settle('a', -1);
  expect(windows.take('a').isExceeded).toBe(false);
});

test('of more keys than are kept those that were not seen for longest are forgotten', () => {
  const windows = new Windows({ ...policy, limit: 1 }, () => 0, 1_000);
  for (let each = 0; each < 10_000; each++) windows.take(String(each));
  expect(windows.size).toBe(1_000);
  expect(windows.take('9999').isExceeded).toBe(true);
});
