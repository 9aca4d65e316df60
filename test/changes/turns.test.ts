import { expect, test } from '@jest/globals';
import { inTurns } from '../../src/changes/turns.ts';

const all = Array.from({ length: 100 }, (_, index) => index);

test('what takes long is done in parts, in order, and others get a turn between them', async () => {
  const parts: number[][] = [];
  let turns = 0;
  let isDone = false;
  const others = () => {
    turns += 1;
    if (!isDone) setImmediate(others);
  };
  setImmediate(others);
  await inTurns(all, (part) => {
    parts.push([...part]);
    const end = performance.now() + 5 * part.length;
    while (performance.now() < end);
  });
  isDone = true;
  expect(parts.flat()).toEqual(all);
  expect(parts.length).toBeGreaterThan(5);
  expect(turns).toBeGreaterThan(5);
});

test('what is quick is done in few parts', async () => {
  const parts: number[] = [];
  await inTurns(all, (part) => parts.push(part.length));
  expect(parts.reduce((sum, each) => sum + each, 0)).toBe(100);
  expect(parts.length).toBeLessThan(20);
});

test('for nobody there is nothing to do', async () => {
  await inTurns([], () => expect('nothing').toBe('done'));
});
