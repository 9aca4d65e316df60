import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Database } from '../../../src/graph/database/database.ts';
import type { Queryable } from '../../../src/graph/database/queryable.ts';
import { letGo, renewLeases, takeOverLost } from '../../../src/graph/leases/leases.ts';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import { keyText } from '../../../src/tasks/nodes/taskNodes.ts';
import { askToCancel, readCancelAsked, removeOldEvents } from '../../../src/tasks/running/leases.ts';
import { Tasks } from '../../../src/tasks/tasks.ts';
import { eventually } from '../../a2a/testService.ts';
import { holdLock, untilBlocked } from '../../support/heldLock.ts';
import { emptyGraph, testAddress } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';
import { contextOf } from '../contexts.ts';
import { relayTo } from './relay.ts';

const database = useDatabase();
const key = { tenant: 'north', id: 'lost' };
const leaseMs = 60_000;

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
});

beforeEach(() =>
  database.run(
    'WRITE',
    `MATCH (n:Task|Message|TaskEvent) DETACH DELETE n
     FINISH
     UNION ALL
     CREATE (:Task {tenant: 'north', id: 'lost', state: 'WORKING', replica: 'dead', leaseUntil: datetime() - duration('PT1S')})
     FINISH`,
  ),
);

const write = <T>(work: (tx: Queryable) => Promise<T>) => database.write(work, 30_000);
const taking = (replica: string, limit = 10) => write((tx) => takeOverLost(tx, 'Task', { replica, leaseMs, limit }));
const replicaOf = async () =>
  (await database.run<{ replica: string }>('READ', 'MATCH (t:Task) RETURN t.replica AS replica'))[0]?.replica;
const isRenewed = async () =>
  (await database.run<{ yes: boolean }>('READ', 'MATCH (t:Task) RETURN t.leaseUntil > datetime() AS yes'))[0]?.yes;

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

test('a lease is renewed, and let go, of the tenant that is asked for alone', async () => {
  await database.run(
    'WRITE',
    `CREATE (:Task {tenant: 'south', id: 'lost', state: 'WORKING', replica: 'dead',
       leaseUntil: datetime() - duration('PT1S')})`,
  );
  const held = async () =>
    (
      await database.run<{ tenant: string }>(
        'READ',
        'MATCH (t:Task) WHERE t.leaseUntil > datetime() RETURN t.tenant AS tenant ORDER BY tenant',
      )
    ).map(({ tenant }) => tenant);
  const renew = (keys: (typeof key)[]) => write((tx) => renewLeases(tx, 'Task', keys, { replica: 'dead', leaseMs }));
  expect(await renew([key])).toEqual([key]);
  expect(await held()).toEqual(['north']);
  await renew([key, { ...key, tenant: 'south' }]);
  expect(await held()).toEqual(['north', 'south']);
  await write((tx) => letGo(tx, 'Task', key));
  expect(await held()).toEqual(['south']);
});

test('a replica renews its own lease, and not that of who has taken over', async () => {
  const renew = (replica: string) => write((tx) => renewLeases(tx, 'Task', [key], { replica, leaseMs }));
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

test('who has taken over meanwhile keeps its lease as it is when the other replica renews', async () => {
  const lock = await holdLock(
    database,
    "MATCH (t:Task) SET t.updatedAt = datetime(), t.replica = 'new', t.leaseUntil = datetime('2100-01-01')",
  );
  const renewed = write((tx) => renewLeases(tx, 'Task', [key], { replica: 'dead', leaseMs }));
  await untilBlocked(database);
  await lock.letGo();
  await renewed;
  expect(await database.run('READ', "MATCH (t:Task) RETURN t.leaseUntil = datetime('2100-01-01') AS same")).toEqual([
    { same: true },
  ]);
});

describe('a claim', () => {
  const context = contextOf('ana');
  const onError = (error: unknown) => {
    throw error;
  };
  const replica = () => new Tasks({ database, onError, leaseMs: 900 });
  const left = () => database.run('READ', 'MATCH (t:Task) RETURN t.id AS id, t.state AS state');
  beforeEach(() => database.run('WRITE', 'MATCH (t:Task) DETACH DELETE t'));

  test('is kept while its call goes on, and given back where it or its replica comes to nothing', async () => {
    const [one, other] = [replica(), replica()];
    try {
      expect(await one.claims.begin('new', context)).toBe('claimed');
      await database.run(
        'WRITE',
        "CREATE (:Task {tenant: 'north', id: 'asks', owner: 'ana', state: 'INPUT_REQUIRED'})",
      );
      expect(await one.claims.goOn('asks', context)).toBe(true);
      await sleep(2_000);
      expect(await other.claims.begin('new', context)).toBe('under-way');
      expect(await other.claims.goOn('asks', context)).toBe(false);

      await one.claims.release('asks', context);
      expect(await other.claims.goOn('asks', context)).toBe(true);
      await other.claims.release('asks', context);
      expect(await one.claims.goOn('asks', context)).toBe(true);
      expect(await one.claims.goOn('new', context)).toBe(false);

      // As if it had died.
      await one.close();
      await eventually(async () => (await left()).length === 1);
      expect(await left()).toEqual([{ id: 'asks', state: 'INPUT_REQUIRED' }]);
      await eventually(() => other.claims.goOn('asks', context));
    } finally {
      await other.close();
    }
  });

  test('of an id that an update names meanwhile leaves the node', async () => {
    const tasks = replica();
    await tasks.claims.begin('made', context);
    await database.run('WRITE', "MATCH (t:Task {id: 'made'}) CREATE (t)-[:MADE]->(:Update {id: 'u'})");
    await tasks.claims.release('made', context);
    expect(await tasks.claims.begin('made', context)).toBe('known');
    expect(await left()).toEqual([{ id: 'made', state: null }]);
    await database.run('WRITE', "MATCH (u:Update {id: 'u'}) DETACH DELETE u");
    await tasks.close();
  });
});

describe('a wish to cancel', () => {
  const ask = (id: string, tenant = 'north') => write((tx) => askToCancel(tx, { tenant, id }));
  const create = (tasks: object[]) =>
    database.run(
      'WRITE',
      `UNWIND $tasks AS each CREATE (t:Task {tenant: 'north', state: 'WORKING'}) SET t += each,
         t.leaseUntil = datetime() + duration('PT1M') * each.leaseUntil`,
      { tasks },
    );
  const askedOf = async () =>
    (
      await database.run<{ task: string }>(
        'READ',
        "MATCH (t:Task) WHERE t.cancelAskedAt IS NOT NULL RETURN t.tenant + ' ' + t.id AS task ORDER BY task",
      )
    ).map(({ task }) => task);

  test('is told to the replica that has the lease, and is left of no task that does not run or has ended', async () => {
    await create([
      { id: 'running', leaseUntil: 9 },
      { id: 'running', tenant: 'south', leaseUntil: 9 },
      { id: 'waiting', state: 'INPUT_REQUIRED' },
      { id: 'ended', state: 'FAILED', leaseUntil: 9 },
      { id: 'named', state: null, leaseUntil: 9 },
    ]);
    const outcomes: string[] = [];
    for (const id of ['running', 'lost', 'waiting', 'ended', 'named', 'nobody']) outcomes.push(await ask(id));
    expect(outcomes).toEqual(['told', 'idle', 'idle', 'ended', 'ended', 'ended']);
    expect(await askedOf()).toEqual(['north running']);
  });

  test('is read by the tasks that it is of, of their own tenants', async () => {
    await create([
      { id: 'running', leaseUntil: 9 },
      { id: 'running', tenant: 'south', leaseUntil: 9 },
      { id: 'other', leaseUntil: 9 },
    ]);
    await ask('running');
    await ask('other');
    const read = (...tasks: { tenant: string; id: string }[]) =>
      database.read((tx) => readCancelAsked(tx, tasks), 10_000);
    const [north, south] = ['north', 'south'].map((tenant) => ({ tenant, id: 'running' })) as [typeof key, typeof key];
    expect(await read(north, south, key)).toEqual(new Set([keyText(north)]));
    expect(await read(south, key)).toEqual(new Set());
  });

  test('that waits for the last word of a task finds it ended', async () => {
    await create([{ id: 'running', leaseUntil: 9 }]);
    const lock = await holdLock(
      database,
      "MATCH (t:Task {id: 'running'}) SET t.updatedAt = datetime(), t.state = 'COMPLETED', t.leaseUntil = null",
    );
    const outcome = ask('running');
    await untilBlocked(database);
    await lock.letGo();
    expect(await outcome).toBe('ended');
    expect(await askedOf()).toEqual([]);
  });
});

test('events that have had their time are removed, oldest first, no more tasks than asked for, each once', async () => {
  await database.run(
    'WRITE',
    `UNWIND [[3, 2], [1, 0], [2, 1], [-60, 1], [null, 1]] AS row
     CREATE (t:Task {tenant: 'north', id: 'ended' + coalesce(row[0], ''), state: 'COMPLETED',
       eventsUntil: datetime() - duration('PT1M') * row[0]})
     FOREACH (index IN range(1, row[1]) | CREATE (t)-[:HAS_EVENT]->(:TaskEvent {tenant: 'north', taskId: t.id, index: index}))
     CREATE (t)-[:HAS_MESSAGE]->(:Message {tenant: 'north', taskId: t.id, key: 'm'})`,
  );
  const remove = (tasks: number, events = 10) => write((tx) => removeOldEvents(tx, { tasks, events }));
  const left = async () =>
    (
      await database.run<{ id: string }>(
        'READ',
        'MATCH (t:Task)-[:HAS_EVENT]->(:TaskEvent) MATCH (t)-[:HAS_MESSAGE]->(:Message) RETURN t.id AS id ORDER BY id',
      )
    ).map(({ id }) => id);
  expect(await remove(1)).toBe(true);
  expect(await left()).toEqual(['ended', 'ended-60', 'ended2']);
  expect(await remove(10)).toBe(false);
  expect(await left()).toEqual(['ended', 'ended-60']);
  expect(await remove(10)).toBe(false);
  const events = await database.run('READ', "MATCH (e:TaskEvent {tenant: 'north'}) RETURN count(e) AS count");
  expect(events).toEqual([{ count: 2 }]);
});

test('no more events are removed at a time than asked for, and all of them in the end', async () => {
  await database.run(
    'WRITE',
    `UNWIND range(1, 2) AS number
     CREATE (t:Task {tenant: 'north', id: 'long' + number, state: 'COMPLETED', eventsUntil: datetime() - duration('PT1M')})
     FOREACH (index IN range(1, 5) | CREATE (t)-[:HAS_EVENT]->(:TaskEvent {tenant: 'north', taskId: t.id, index: index}))`,
  );
  const counts = async () =>
    database.run<{ events: number; due: number }>(
      'READ',
      'MATCH (t:Task) RETURN COUNT { (:TaskEvent) } AS events, count(t.eventsUntil) AS due',
    );
  const left: object[] = [];
  for (let isMore = true; isMore; ) {
    isMore = await write((tx) => removeOldEvents(tx, { tasks: 10, events: 4 }));
    left.push(...(await counts()));
  }
  expect(left).toEqual([
    { events: 6, due: 2 },
    { events: 2, due: 2 },
    { events: 0, due: 0 },
  ]);
});

test('after Neo4j was away the replicas have time to renew their leases before anybody takes their tasks', async () => {
  const address = testAddress();
  const relay = await relayTo(Number(new URL(address.uri).port));
  const cutOff = new Database({ ...address, uri: `bolt://127.0.0.1:${relay.port}` });
  await database.run('WRITE', "MATCH (t:Task) SET t.leaseUntil = datetime() + duration('PT1H')");
  const leaseOf = 2_000;
  const tasks = new Tasks({ database: cutOff, leaseMs: leaseOf, onError() {} });
  await relay.cut();
  await expect(cutOff.run('READ', 'RETURN 1')).rejects.toThrow();
  await eventually(async () => !cutOff.hasAnsweredFor(0));
  await database.run('WRITE', "MATCH (t:Task) SET t.leaseUntil = datetime() - duration('PT1S')");
  await relay.mend();
  expect(cutOff.hasAnsweredFor(leaseOf)).toBe(false);
  await eventually(async () => (await replicaOf()) !== 'dead');
  expect(cutOff.hasAnsweredFor(leaseOf)).toBe(true);
  await tasks.close();
  await cutOff.close();
  await relay.cut();
});
