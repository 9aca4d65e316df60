import { expect, test } from '@jest/globals';
import { neo4jSettings } from '../support/service.ts';
import { useDatabase } from '../support/setUp.ts';
import { startTogether } from './together/run.ts';

const database = useDatabase();

// `npm run test:together` does it ten times.
test('four processes that start at once on an empty Neo4j all come up and answer', async () => {
  const [seconds] = await startTogether({ rounds: 1, replicas: 4 }, database, neo4jSettings);
  process.stdout.write(`ready after ${seconds?.join(', ')} s\n`);
  expect(seconds).toHaveLength(4);
});
