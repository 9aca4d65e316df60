import { randomInt } from 'node:crypto';
import { onNeo4j } from '../../../setup/onNeo4j.ts';

/**
 * The leak test for longer: SEED, DEAL, CASES and PER_QUERY say what of it. Here the seed is another each time, to find
 * what the test's own seed doesn't; whoever runs this looks at what it says.
 */
const seed = Number(process.env.SEED ?? randomInt(2 ** 31));
const deal = Number(process.env.DEAL ?? 0);
const cases = Number(process.env.CASES ?? 50_000);
const perQuery = Number(process.env.PER_QUERY ?? 10);
const lines = await onNeo4j(async () => {
  // They read from the environment where the database is.
  const { testDatabase } = await import('../../../support/service.ts');
  const { missingKinds, runCases, summaryLines } = await import('./cases.ts');
  const database = testDatabase();
  process.stderr.write(`SEED=${seed} CASES=${cases} PER_QUERY=${perQuery}\n`);
  let told = 0;
  const report = ({ cases: done, differences }) => {
    for (const difference of differences.slice(told)) process.stderr.write(`${difference}\n`);
    told = differences.length;
    if (done % 600 === 0) process.stderr.write(`${done} cases, ${differences.length} differences\n`);
  };
  const summary = await runCases(database, { seed, deal, cases, perQuery }, report).finally(() => database.close());
  const missing = missingKinds(summary);
  if (summary.differences.length + missing.length > 0) process.exitCode = 1;
  return [
    ...summaryLines(summary, seed),
    ...(missing.length > 0
      ? [`conditions that hid nothing, or constructs that never came: ${missing.join(', ')}`]
      : []),
  ];
});
process.stdout.write(`${lines.join('\n')}\n`);
