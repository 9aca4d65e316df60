import { randomInt } from 'node:crypto';
import { runSoak, summaryLines } from './run.ts';

/** The soak test in its long form: SEED and MINUTES say what of it. Here the seed is another each time. */
const { SEED, MINUTES = 30 } = process.env;
const plan = {
  seed: Number(SEED ?? randomInt(2 ** 31)),
  minutes: Number(MINUTES),
  pauseMs: Number(process.env.PAUSE_MS ?? 400),
};
process.stderr.write(`SEED=${plan.seed} MINUTES=${plan.minutes}\n`);
const summary = await runSoak(plan, (line) => process.stderr.write(`${line}\n`));
if (summary.faults.length > 0 || summary.missing.length > 0) process.exitCode = 1;
process.stdout.write(`${summaryLines(summary, plan).join('\n')}\n`);
