import { randomInt } from 'node:crypto';
import { runCrashes, summaryLines } from './run.ts';

/**
 * The crash test for longer: SEED, SERVICE_KILLS and NEO4J_KILLS say what of it. Here the seed is another each time.
 */
const { SEED, SERVICE_KILLS = 50, NEO4J_KILLS = 10 } = process.env;
const plan = {
  seed: Number(SEED ?? randomInt(2 ** 31)),
  serviceKills: Number(SERVICE_KILLS),
  neo4jKills: Number(NEO4J_KILLS),
};
process.stderr.write(`SEED=${plan.seed} SERVICE_KILLS=${plan.serviceKills} NEO4J_KILLS=${plan.neo4jKills}\n`);
const summary = await runCrashes(plan, (line) => process.stderr.write(`${line}\n`));
if (summary.faults.length > 0 || summary.seen.missing.length > 0) process.exitCode = 1;
process.stdout.write(`${summaryLines(summary, plan).join('\n')}\n`);
