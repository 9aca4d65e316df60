import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { migrate } from '../../src/graph/migrations.ts';
import type { Queryable } from '../../src/graph/statementReader.ts';
import { renewLeases, takeOverLost } from '../../src/tasks/leases.ts';
import { holdLock, untilBlocked } from '../support/heldLock.ts';
import { emptyGraph, testDatabase } from '../support/service.ts';

const database = testDatabase();
const key = { tenant: 'north', id: 'lost' };
const leaseMs = 60_000;

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
});
afterAll(() => database.close());

beforeEach(() =>
  database.run(
    'WRITE',
    `MATCH (t:Task) DETACH DELETE t
     FINISH
     UNION ALL
     CREATE (:Task {tenant: 'north', id: 'lost', state: 'WORKING', replica: 'dead', leaseUntil: datetime() - duration('PT1S')})
     FINISH`,
  ),
);

const write = <T>(work: (tx: Queryable) => Promise<T>) => database.write(work, 30_000);
const taking = (replica: string, limit = 10) => write((tx) => takeOverLost(tx, { replica, leaseMs, limit }));
const replicaOf = async () =>
  (await database.run<{ replica: string }>('READ', 'MATCH (t:Task) RETURN t.replica AS replica'))[0]?.replica;
const isRenewed = async () =>
  (await database.run<{ yes: boolean }>('READ', 'MATCH (t:Task) RETURN t.leaseUntil > datetime() AS yes'))[0]
    ?.yes;

test('of two replicas that take over at once, one gets the task', async () => {
  // Both see the lease that is over before either has the lock.
  const lock = await holdLock(database, 'MATCH (t:Task) SET t.updatedAt = datetime()');
  const first = taking('a');
  const second = taking('b');
  await untilBlocked(database, 2);
  await lock.letGo();
  const [one, other] = await Promise.all([first, second]);
  expect([one, other].filter(({ length }) => length > 0)).toEqual([[key]]);
  expect(await replicaOf()).toBe(one.length > 0 ? 'a' : 'b');
});

test('a task whose replica has renewed its lease meanwhile is not taken over', async () => {
  const lock = await holdLock(
    database,
    "MATCH (t:Task) SET t.updatedAt = datetime(), t.leaseUntil = datetime() + duration('PT1M')",
  );
  const taken = taking('a');
  await untilBlocked(database);
  await lock.letGo();
  expect(await taken).toEqual([]);
  expect(await replicaOf()).toBe('dead');
});

test('a replica renews its own lease, and not that of who has taken over', async () => {
  const renew = (replica: string) => write((tx) => renewLeases(tx, [key], { replica, leaseMs }));
  await renew('another');
  expect(await isRenewed()).toBe(false);
  await renew('dead');
  expect(await isRenewed()).toBe(true);
  await database.run('WRITE', 'MATCH (t:Task) SET t.leaseUntil = null');
  await renew('dead');
  expect(await isRenewed()).toBeNull();
});

test('tasks are taken over in the order in which they are overdue, no more than asked for', async () => {
  await database.run(
    'WRITE',
    `UNWIND [3, 1, 2] AS ago
     CREATE (:Task {tenant: 'north', id: 't' + ago, state: 'WORKING', replica: 'dead', leaseUntil: datetime() - duration({minutes: ago})})`,
  );
  expect((await taking('a', 2)).map(({ id }) => id).toSorted()).toEqual(['t2', 't3']);
  expect((await taking('b')).map(({ id }) => id).toSorted()).toEqual(['lost', 't1']);
  expect(await taking('c')).toEqual([]);
});
