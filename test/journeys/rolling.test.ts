import { expect, test } from '@jest/globals';
import { emptyGraph, neo4jSettings, testDatabase } from '../support/service.ts';
import { rollingRestart, summaryLines } from './rolling/run.ts';

/** The short form; `npm run test:rolling` is the long one, with the times of the chart. */
const plan = { rounds: 1, probing: { periodMs: 500, failures: 2, delayMs: 500 }, drainDelayMs: 6_000 };

test('a rolling restart of two replicas under load fails no request, misses no event and doubles none', async () => {
  await emptyGraph();
  const summary = await rollingRestart(plan, neo4jSettings, () => {});
  process.stdout.write(`${summaryLines(summary).join('\n')}\n`);
  expect(summary.failures).toEqual([]);
  expect(summary).toMatchObject({ missed: 0, doubles: 0 });
  expect(summary.events).toBe(4 * summary.updates);
  expect(summary.updates).toBeGreaterThan(20);
  const database = testDatabase();
  const [stored] = await database.run(
    'READ',
    "MATCH (c:Change) WHERE c.statement CONTAINS 'urn:p:rolling' RETURN count(c) AS n",
  );
  await database.close();
  expect(stored).toEqual({ n: summary.updates });
});
