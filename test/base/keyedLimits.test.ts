import { expect, test } from '@jest/globals';
import { deferred } from '../../src/base/deferred.ts';
import { KeyedLimits } from '../../src/base/keyedLimits.ts';

test('so many works of one key go on at a time, and others in their order', async () => {
  const limits = new KeyedLimits(2);
  const begun: string[] = [];
  const gates = Array.from({ length: 4 }, () => deferred());
  const works = gates.map((gate, index) =>
    limits.run('one', async () => {
      begun.push(`one ${index}`);
      await gate.promise;
    }),
  );
  const other = limits.run('other', async () => void begun.push('other'));
  await other;
  expect(begun.sort()).toEqual(['one 0', 'one 1', 'other']);
  gates[1]?.resolve();
  await works[1];
  await new Promise(setImmediate);
  expect(begun.at(-1)).toBe('one 2');
  for (const gate of gates) gate.resolve();
  await Promise.all(works);
  expect(begun).toHaveLength(5);
});

test('a work that fails makes room as any other, and its fault is told', async () => {
  const limits = new KeyedLimits(1);
  const failing = limits.run('one', () => Promise.reject(new Error('no')));
  const next = limits.run('one', async () => 'done');
  await expect(failing).rejects.toThrow('no');
  await expect(next).resolves.toBe('done');
});
