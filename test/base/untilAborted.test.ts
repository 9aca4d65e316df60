import { getEventListeners } from 'node:events';
import { expect, test } from '@jest/globals';
import { stepsUntilAborted, untilAborted } from '../../src/base/untilAborted.ts';

async function* counting(to: number) {
  for (let n = 1; n <= to; n++) yield n;
}

test('however it ends, nothing of it stays with the signal, which may live on', async () => {
  const { signal } = new AbortController();
  const seen: number[] = [];
  for await (const n of untilAborted(counting(3), signal)) seen.push(n);
  for await (const n of untilAborted(counting(3), signal)) if (n === 2) break;
  expect(seen).toEqual([1, 2, 3]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a source that is stuck is left when the signal aborts, and told so; nothing more is asked of it', async () => {
  const controller = new AbortController();
  let [asked, stopped] = [0, 0];
  const next = () => {
    asked += 1;
    return new Promise<number>(() => {});
  };
  const stop = () => {
    stopped += 1;
  };
  const steps = stepsUntilAborted({ next, stop }, controller.signal);
  const first = steps.next();
  controller.abort();
  expect(await first).toBeUndefined();
  expect(await steps.next()).toBeUndefined();
  steps.stop();
  expect([asked, stopped]).toEqual([1, 1]);
});
