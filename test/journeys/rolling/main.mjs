import { OwnNeo4j } from '../crash/ownNeo4j.ts';
import { rollingRestart, summaryLines } from './run.ts';

/** Rolling restarts for longer, with the times of the chart: ROUNDS says how many. */
const rounds = Number(process.env.ROUNDS ?? 5);
const plan = { rounds, probing: { periodMs: 2_000, failures: 2, delayMs: 2_000 }, drainDelayMs: 10_000 };
const say = (line) => process.stderr.write(`${line}\n`);
const neo4j = await OwnNeo4j.start();
try {
  const summary = await rollingRestart(plan, neo4j.environment, say);
  process.stdout.write(`${summaryLines(summary).join('\n')}\n`);
  if (summary.failures.length + summary.missed + summary.doubles > 0) process.exitCode = 1;
} finally {
  await neo4j.close();
}
