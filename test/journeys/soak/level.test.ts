import { expect, test } from '@jest/globals';
import { fitOf, levelOf, type Sample } from './level.ts';

const samples = (bytesAt: (second: number) => number, handles = 40): Sample[] =>
  Array.from({ length: 60 }, (_, n) => ({ pid: 1, at: 10 * n, bytes: 2 ** 20 * bytesAt(10 * n), handles }));

test('the line of least squares goes through points on a line, and tells how far others are from it', () => {
  const points = Array.from({ length: 11 }, (_, n) => [n, 3 + 2 * n] as const);
  expect(fitOf(points)).toEqual({ mean: 13, rise: 20, noise: expect.closeTo(0) });
  expect(fitOf(points.map(([x], n) => [x, n % 2] as const)).noise).toBeCloseTo(0.5, 1);
});

test('memory that sways is level, memory that grows is not, nor are handles that stay open', () => {
  expect(levelOf(samples((second) => 100 + 8 * Math.sin(second))).faults).toEqual([]);
  expect(levelOf(samples((second) => 100 + second / 10)).faults).toEqual([expect.stringMatching(/^not level: memory/)]);
  const leaking = samples(() => 100).map((each) => ({ ...each, handles: 40 + each.at / 20 }));
  expect(levelOf(leaking).faults).toEqual([expect.stringMatching(/^not level: handles/)]);
});

test('of a life of a minute nothing is said', () => {
  expect(levelOf(samples((second) => 100 + second).slice(0, 8))).toMatchObject({
    line: expect.stringContaining('too few to be judged'),
    faults: [],
  });
});
