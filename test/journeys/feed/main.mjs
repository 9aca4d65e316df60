import { randomInt } from 'node:crypto';
import { runFeed, summaryLines } from './run.ts';

/**
 * The kill test of the change feed for longer: SEED, REPLICA_KILLS, NEO4J_KILLS and PAUSE_MS say what of it. Here the
 * seed is another each time.
 */
const { SEED, REPLICA_KILLS = 50, NEO4J_KILLS = 5, PAUSE_MS = 400 } = process.env;
const plan = {
  seed: Number(SEED ?? randomInt(2 ** 31)),
  replicaKills: Number(REPLICA_KILLS),
  neo4jKills: Number(NEO4J_KILLS),
  pauseMs: Number(PAUSE_MS),
};
process.stderr.write(`SEED=${plan.seed} REPLICA_KILLS=${plan.replicaKills} NEO4J_KILLS=${plan.neo4jKills}\n`);
const summary = await runFeed(plan, (line) => process.stderr.write(`${line}\n`));
if (summary.faults.length > 0 || summary.missing.length > 0) process.exitCode = 1;
process.stdout.write(`${summaryLines(summary, plan).join('\n')}\n`);
