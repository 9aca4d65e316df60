import { expect, test } from '@jest/globals';
import { runCrashes, summaryLines } from './crash/run.ts';

/** The short form; `npm run test:crash` is the long one, with another seed each time. */
const plan = {
  seed: Number(process.env.SEED ?? 1),
  serviceKills: Number(process.env.SERVICE_KILLS ?? 3),
  neo4jKills: Number(process.env.NEO4J_KILLS ?? 1),
};

test(`what was acknowledged is there once, whatever was killed meanwhile (SEED=${plan.seed})`, async () => {
  const summary = await runCrashes(plan, () => {});
  process.stdout.write(`${summaryLines(summary, plan).join('\n')}\n`);
  expect(summary.faults).toEqual([]);
  expect(summary.seen.missing).toEqual([]);
}, 3_600_000);
