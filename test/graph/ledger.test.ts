import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../../src/graph/database.ts';
import { listUpdates, recordUpdates, type UpdateRecord } from '../../src/graph/ledger.ts';
import { migrate } from '../../src/graph/migrations.ts';
import { emptyGraph, testDatabase } from '../support/service.ts';

let database: Database;
beforeAll(async () => {
  await emptyGraph();
  database = testDatabase();
  await migrate(database);
});
afterAll(() => database.close());

const pending = (id: string, proposedAt: number): UpdateRecord => ({
  id,
  status: 'pending',
  sourceAgentId: 'atlas',
  proposedAt,
});

test('an update of another tenant is no place in a list, as one that nobody made', async () => {
  const at = Date.parse('2025-01-01T00:00:00Z');
  await database.write(async (tx) => {
    await recordUpdates(tx, 'north', [pending('n1', at), pending('n2', at + 2_000)], 0);
    await recordUpdates(tx, 'south', [pending('s1', at + 1_000)], 0);
  }, 10_000);
  const listed = async (after: string) => {
    const updates = await database.read(
      (tx) => listUpdates(tx, 'north', { status: 'pending', first: 10, after }),
      10_000,
    );
    return updates.map(({ id }) => id);
  };
  expect(await listed('n1')).toEqual(['n2']);
  expect(await listed('s1')).toEqual(await listed('nobody'));
});
