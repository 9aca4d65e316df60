import { expect, test } from '@jest/globals';
import { Batches } from '../../src/base/batches.ts';

function of(...batches: number[][]) {
  let stops = 0;
  const stop = () => {
    stops += 1;
  };
  return { values: new Batches(async () => batches.shift(), stop), stops: () => stops };
}

test('batches are iterated over one by one, in order, and whoever leaves says so', async () => {
  const { values, stops } = of([1, 2], [3], [4, 5]);
  const seen: number[] = [];
  for await (const value of values) {
    seen.push(value);
    if (value === 4) break;
  }
  expect(seen).toEqual([1, 2, 3, 4]);
  expect(stops()).toBe(1);
});

test('what comes one by one is batches of one, and its end is an end', async () => {
  async function* numbers() {
    yield 1;
    yield 2;
  }
  const values = Batches.of(numbers());
  expect([await values.next(), await values.next(), await values.next()]).toEqual([[1], [2], undefined]);
});

test('an iterator that is stuck is left without waiting for it', async () => {
  let left = false;
  const stuck = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<never>(() => {}),
      return: () => {
        left = true;
        return new Promise<never>(() => {});
      },
    }),
  };
  const values = Batches.of(stuck);
  void values.next();
  values.stop();
  expect(left).toBe(true);
});
