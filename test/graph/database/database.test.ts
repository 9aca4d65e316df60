import { afterAll, expect, test } from '@jest/globals';
import { Neo4jError } from 'neo4j-driver';
import { isUnavailable } from '../../../src/graph/database/away.ts';
import { gate } from '../../support/gate.ts';
import { testDatabase } from '../../support/service.ts';

const database = testDatabase();
const watcher = testDatabase();

afterAll(async () => {
  await database.close();
  await watcher.close();
});

const fault = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error) => error,
  );

test('a transaction that is ended from outside, as by a Neo4j that stops, may succeed later', async () => {
  const slow = fault(
    database.read(
      async (tx) => tx.run("UNWIND range(1, 10000000000) AS n WITH sum(n) AS sum RETURN 'to be ended' AS what"),
      60_000,
    ),
  );
  for (let ended = 0; ended === 0; ) {
    const rows = await watcher.run<{ id: string }>(
      'READ',
      "SHOW TRANSACTIONS YIELD transactionId, currentQuery WHERE currentQuery CONTAINS 'to be ' + 'ended' RETURN transactionId AS id",
    );
    for (const { id } of rows) await watcher.run('WRITE', `TERMINATE TRANSACTION '${id}'`);
    ended = rows.length;
  }
  expect(isUnavailable(await slow)).toBe(true);
});

test('so may one that gets no connection in time', async () => {
  const enough = gate();
  const held = Array.from({ length: 100 }, () =>
    fault(
      database.read(async (tx) => {
        await tx.run('RETURN 1 AS one');
        await enough.opened;
      }, 60_000),
    ),
  );
  const error = await fault(database.read(async (tx) => tx.run('RETURN 1 AS one'), 60_000));
  enough.open();
  expect(String(error)).toContain('acquisition timed out');
  expect(isUnavailable(error)).toBe(true);
  await Promise.all(held);
});

test('a transaction that ran into its time limit, or is wrong, would fail again', async () => {
  const timeout = await fault(
    database.read(async (tx) => tx.run('UNWIND range(1, 100000000) AS n RETURN sum(n)'), 200),
  );
  expect(timeout).toBeInstanceOf(Error);
  expect(isUnavailable(timeout)).toBe(false);
  expect(isUnavailable(await fault(database.read(async (tx) => tx.run('RETRUN 1'), 1_000)))).toBe(false);
  expect(isUnavailable(new Error('x'))).toBe(false);
});

test('what fails before its commit is told as it failed: nothing of it can have been applied', async () => {
  const error = new Neo4jError('the disk is full', 'Neo.DatabaseError.General.UnknownError', '', '');
  const work = () => Promise.reject(error);
  expect(await fault(database.write(work, 1_000))).toBe(error);
});
