import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { deferred } from '../../src/base/deferred.ts';
import { Periodic } from '../../src/base/periodic.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function periodic() {
  const runs: ReturnType<typeof deferred<void>>[] = [];
  const errors: unknown[] = [];
  const work = () => {
    const run = deferred();
    runs.push(run);
    return run.promise;
  };
  return { runs, errors, it: new Periodic({ everyMs: 100, work, onError: (error) => errors.push(error) }) };
}

/** Lets settled promises be heard. */
const turn = () => jest.advanceTimersByTimeAsync(0);

test('a work is done by the clock, and a time at which it still runs is let go by', async () => {
  const { runs, it } = periodic();
  it.start();
  expect(runs.length).toBe(0);
  await jest.advanceTimersByTimeAsync(350);
  expect(runs.length).toBe(1);
  runs[0]?.resolve();
  await turn();
  expect(runs.length).toBe(1);
  await jest.advanceTimersByTimeAsync(100);
  expect(runs.length).toBe(2);
});

test('who wakes it while it runs has it done once more, however often it is woken', async () => {
  const { runs, it } = periodic();
  it.wake();
  it.wake();
  it.wake();
  expect(runs.length).toBe(1);
  runs[0]?.resolve();
  await turn();
  expect(runs.length).toBe(2);
  runs[1]?.resolve();
  await turn();
  expect(runs.length).toBe(2);
});

test('a work that fails is told and done again', async () => {
  const { runs, errors, it } = periodic();
  it.start();
  await jest.advanceTimersByTimeAsync(100);
  runs[0]?.reject('broken');
  await turn();
  expect(errors).toEqual(['broken']);
  await jest.advanceTimersByTimeAsync(100);
  expect(runs.length).toBe(2);
});

test('closing waits for what runs and begins nothing more', async () => {
  const { runs, it } = periodic();
  it.start();
  it.wake();
  it.wake();
  let isClosed = false;
  const closing = it.close().then(() => {
    isClosed = true;
  });
  await turn();
  expect(isClosed).toBe(false);
  runs[0]?.resolve();
  await closing;
  it.start();
  it.wake();
  await jest.advanceTimersByTimeAsync(500);
  expect(runs.length).toBe(1);
});

test('what is stopped rests, and starts again', async () => {
  const { runs, it } = periodic();
  it.start();
  it.stop();
  await jest.advanceTimersByTimeAsync(500);
  expect(runs.length).toBe(0);
  it.start();
  await jest.advanceTimersByTimeAsync(100);
  expect(runs.length).toBe(1);
});
