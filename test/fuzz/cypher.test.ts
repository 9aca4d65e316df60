import { expect, test } from '@jest/globals';
import { run } from './cypher.ts';

const cases = Number(process.env.CASES ?? 500);
/** The same each time; `npm run fuzz -- cypher` takes another. */
const seed = Number(process.env.SEED ?? 1);

test(`whatever is sent as Cypher is answered or refused, and tells nothing (SEED=${seed} CASES=${cases})`, async () => {
  expect(await run({ cases, seed, timed: false })).toBe(0);
}, 600_000);
