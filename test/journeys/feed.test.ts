import { expect, test } from '@jest/globals';
import { runFeed, summaryLines } from './feed/run.ts';

/** The short form; `npm run test:feed` is the long one, with another seed each time. */
const plan = {
  seed: Number(process.env.SEED ?? 1),
  replicaKills: Number(process.env.REPLICA_KILLS ?? 1),
  neo4jKills: Number(process.env.NEO4J_KILLS ?? 1),
  pauseMs: 200,
};

test(`each subscriber is told what its filter matches, once and in order, whatever was killed meanwhile (SEED=${plan.seed})`, async () => {
  const summary = await runFeed(plan, () => {});
  process.stdout.write(`${summaryLines(summary, plan).join('\n')}\n`);
  expect(summary.faults).toEqual([]);
  expect(summary.missing).toEqual([]);
}, 3_600_000);
