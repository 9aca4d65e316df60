import { expect, test } from '@jest/globals';
import { fuzzHttp } from './http.ts';

test('whatever is sent to any address is answered in time, by no fault and no stack', async () => {
  const run = { cases: Number(process.env.CASES ?? 800), seed: Number(process.env.SEED ?? 1) };
  const faults: string[] = [];
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  say(`SEED=${run.seed} CASES=${run.cases}`);
  await fuzzHttp({ ...run, timed: false, say, fault: (text) => void faults.push(text) });
  expect(faults.join('\n\n')).toBe('');
});
