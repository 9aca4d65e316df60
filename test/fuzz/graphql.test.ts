import { expect, test } from '@jest/globals';
import { fuzzGraphql } from './graphql.ts';

test('random valid documents are answered, or refused by name', async () => {
  const run = { cases: Number(process.env.CASES ?? 500), seed: Number(process.env.SEED ?? 1) };
  const faults: string[] = [];
  const say = (line: string) => process.stderr.write(`${line}\n`);
  say(`SEED=${run.seed} CASES=${run.cases}`);
  await fuzzGraphql({ ...run, timed: false, say, fault: (text) => void faults.push(text) });
  expect(faults.join('\n\n')).toBe('');
});
