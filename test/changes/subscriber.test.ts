import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Listener } from '../../src/changes/audience.ts';
import { ChangeFeed } from '../../src/changes/feed.ts';
import { type ChangeFilter, compileFilter } from '../../src/changes/filter.ts';
import { subscribe } from '../../src/changes/subscriber.ts';
import type { Database } from '../../src/graph/database/database.ts';
import type { Queryable } from '../../src/graph/database/queryable.ts';
import { migrate } from '../../src/graph/setup/migrations.ts';
import type { LoggedChange } from '../../src/graph/updates/changeLog.ts';
import { lockLedger, recordChanges, recordUpdates } from '../../src/graph/updates/ledger.ts';
import { removeChanges } from '../../src/graph/updates/logRetention.ts';
import { gate } from '../support/gate.ts';
import { emptyGraph, testDatabase } from '../support/service.ts';

let writing: Database;
let reading: Database;
const every = compileFilter({});
let feed: CountingFeed;
let tenants = 0;

/** Knows how many listen, and can be made to look at the ledgers at awkward moments. */
class CountingFeed extends ChangeFeed {
  listening = 0;

  override async listen(tenant: string, filter: ChangeFilter, listener: Listener) {
    const { stop, ...listened } = await super.listen(tenant, filter, listener);
    let stopped = false;
    this.listening += 1;
    return {
      ...listened,
      stop: () => {
        if (!stopped) this.listening -= 1;
        stopped = true;
        stop();
      },
    };
  }
}

beforeAll(async () => {
  await emptyGraph();
  writing = testDatabase();
  reading = testDatabase();
  await migrate(writing);
});
afterEach(() => feed.close());
afterAll(async () => {
  await writing.close();
  await reading.close();
});

function start(pollMs: number): string {
  feed = new CountingFeed(reading, {
    pollMs,
    idlePollMs: pollMs,
    onError: (error) => {
      throw error;
    },
  });
  feed.start();
  tenants += 1;
  return `tenant ${tenants}`;
}

/** Appends so many changes in one transaction, as an update does. */
async function append(tenant: string, count: number, at = Date.now()): Promise<void> {
  await writing.write((tx) => record(tx, tenant, count, at), 60_000);
}

async function record(tx: Queryable, tenant: string, count: number, at = Date.now()): Promise<void> {
  const ledger = await lockLedger(tx, tenant);
  const updateId = `${tenant} ${ledger.revision + 1}`;
  const update = {
    id: updateId,
    status: 'applied' as const,
    sourceAgentId: 'a',
    proposedAt: 0,
    revision: 1,
    statementsAffected: count,
    affectedIds: ['s'],
  };
  await recordUpdates(tx, tenant, [update], 0);
  const changes = Array.from({ length: count }, (_, index) => ({
    changeId: `${updateId} ${index}`,
    op: 'add' as const,
    statement: { subject: { id: 's' }, predicate: { id: 'p' }, object: { id: 'o' } },
  }));
  await recordChanges(tx, tenant, { ledger, updates: [{ updateId, changes }], at });
}

/** Reads sequence numbers until the last one, or until the stream ends. */
async function collect(stream: AsyncIterable<LoggedChange>, until: number): Promise<number[]> {
  const sequences: number[] = [];
  for await (const { sequence } of stream) {
    sequences.push(sequence);
    if (sequence >= until) break;
  }
  return sequences;
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('subscribers that begin in the middle of writing, anywhere in the log, see no gap and no double', async () => {
  const writer = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 15 })), {
    minLength: 2,
    maxLength: 6,
  });
  const subscriber = fc.record({
    startMs: fc.integer({ min: 0, max: 150 }),
    // Where in what is there by then to start after, if anywhere.
    cursor: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    pauseMs: fc.integer({ min: 0, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(writer, { minLength: 2, maxLength: 4 }),
      fc.array(subscriber, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 40 }),
      async (writers, subscribers, pollMs) => {
        const tenant = start(pollMs);
        const total = writers.flat().reduce((sum, [count]) => sum + count, 0);
        const write = writers.map(async (appends) => {
          for (const [count, pause] of appends) {
            await append(tenant, count);
            if (pause % 2) feed.wake();
            await sleep(pause);
          }
        });
        const read = subscribers.map(async ({ startMs, cursor, pauseMs }) => {
          await sleep(startMs);
          const head = await feed.head(tenant);
          const after = cursor === null ? undefined : Math.floor(cursor * head);
          const controller = new AbortController();
          const changes = await subscribe(feed, {
            tenant,
            filter: every,
            after,
            buffer: 10_000,
            signal: controller.signal,
          });
          expect(changes.start).toBeGreaterThanOrEqual(after ?? head);
          if (changes.start === total) return controller.abort();
          const sequences: number[] = [];
          for await (const { sequence } of changes) {
            sequences.push(sequence);
            if (sequence >= total) break;
            if (sequence % 7 === 0) await sleep(pauseMs);
          }
          expect(sequences).toEqual(numbers(changes.start + 1, total));
        });
        await Promise.all([...write, ...read]);
        expect(feed.listening).toBe(0);
        await feed.close();
      },
    ),
    { numRuns: 12, endOnFailure: true },
  );
});

test('a log of several pages is read whole before what is live', async () => {
  const tenant = start(20);
  await append(tenant, 1_300);
  const { signal } = new AbortController();
  const changes = await subscribe(feed, { tenant, filter: every, after: 0, buffer: 5_000, signal });
  await append(tenant, 700);
  expect(await collect(changes, 2_000)).toEqual(numbers(1, 2_000));
});

test('a change that commits later than one of a higher number could is waited for, and told before it', async () => {
  const tenant = start(5);
  const [changed, end] = [gate(), gate()];
  const { signal } = new AbortController();
  await append(tenant, 1);
  const changes = await subscribe(feed, { tenant, filter: every, buffer: 100, signal });
  const slow = writing.write(async (tx) => {
    await record(tx, tenant, 2);
    changed.open();
    await end.opened;
  }, 60_000);
  await changed.opened;
  const quick = append(tenant, 3);
  const heard = collect(changes, 6);
  // The quick one has no number before the slow one is committed.
  await sleep(200);
  expect(await feed.head(tenant)).toBe(1);
  end.open();
  await Promise.all([slow, quick]);
  expect(await heard).toEqual(numbers(2, 6));
});

test('of changes of one time, more than a page of the log holds, none is lost at its edge', async () => {
  const tenant = start(20);
  await append(tenant, 3);
  await sleep(2);
  const at = Date.now();
  await append(tenant, 1_100, at);
  await append(tenant, 7, at);
  const after = await feed.after(tenant, at);
  expect(after).toBe(3);
  const { signal } = new AbortController();
  const changes = await subscribe(feed, { tenant, filter: every, after, buffer: 5_000, signal });
  expect(await collect(changes, 1_110)).toEqual(numbers(4, 1_110));
});

test("who breaks off anywhere in the middle of an update's changes goes on with the next of them", async () => {
  const tenant = start(20);
  for (const count of [4, 9, 5]) await append(tenant, count);
  for (const after of numbers(0, 17)) {
    const { signal } = new AbortController();
    const changes = await subscribe(feed, { tenant, filter: every, after, buffer: 100, signal });
    expect(await collect(changes, 18)).toEqual(numbers(after + 1, 18));
  }
});

test('a buffer that overflows during the catch-up ends the stream where it can be resumed', async () => {
  const tenant = start(20);
  await append(tenant, 600);
  const { signal } = new AbortController();
  const changes = await subscribe(feed, { tenant, filter: every, after: 0, buffer: 10, signal });
  await append(tenant, 100);
  await sleep(200);
  const sequences: number[] = [];
  const ending = (async () => {
    for await (const { sequence } of changes) sequences.push(sequence);
  })();
  await expect(ending).rejects.toMatchObject({ data: { reason: 'slow-consumer', retryable: true } });
  expect(sequences).toEqual(numbers(1, sequences.length));
  await expect(ending).rejects.toMatchObject({ data: { cursor: sequences.length } });
  const rest = await subscribe(feed, { tenant, filter: every, after: sequences.length, buffer: 1_000, signal });
  await append(tenant, 5);
  expect(await collect(rest, 705)).toEqual(numbers(sequences.length + 1, 705));
});

test('a subscriber for whom much waits counts as slow, until it has read on', async () => {
  const tenant = start(20);
  const { signal } = new AbortController();
  const changes = await subscribe(feed, { tenant, filter: every, buffer: 100, signal });
  await append(tenant, 20);
  while (feed.behind.size === 0) await sleep(5);
  expect(await collect(changes, 20)).toEqual(numbers(1, 20));
  expect(feed.behind.size).toBe(0);
  const other = await subscribe(feed, { tenant, filter: every, buffer: 100, signal });
  await append(tenant, 20);
  while (feed.behind.size === 0) await sleep(5);
  other.stop();
  expect(feed.behind.size).toBe(0);
});

test('what leaves the log while a slow consumer catches up ends the stream, and is not skipped', async () => {
  const tenant = start(20);
  await append(tenant, 1_200);
  const { signal } = new AbortController();
  const changes = await subscribe(feed, { tenant, filter: every, after: 0, buffer: 10, signal });
  await writing.run('WRITE', 'MATCH (c:Change {tenant: $tenant}) WHERE c.sequence <= 900 DETACH DELETE c', {
    tenant,
  });
  const sequences: number[] = [];
  const ending = (async () => {
    for await (const { sequence } of changes) sequences.push(sequence);
  })();
  await expect(ending).rejects.toMatchObject({ data: { reason: 'cursor-too-old', oldest: 901 } });
  expect(sequences).toEqual(numbers(1, sequences.length));
});

test('what somebody has taken out of the log, in its middle or at its end, ends the stream and is not skipped', async () => {
  const tenant = start(10);
  await append(tenant, 1_200);
  const remove = (from: number, to: number) =>
    writing.run('WRITE', 'MATCH (c:Change {tenant: $tenant}) WHERE $from <= c.sequence <= $to DETACH DELETE c', {
      tenant,
      ...{ from, to },
    });
  const after = async (cursor: number, told: number[] = []) => {
    const { signal } = new AbortController();
    const changes = await subscribe(feed, { tenant, filter: every, after: cursor, buffer: 10_000, signal });
    for await (const { sequence } of changes) told.push(sequence);
  };
  await remove(703, 704);
  const told: number[] = [];
  await expect(after(100, told)).rejects.toMatchObject({ data: { reason: 'cursor-too-old', oldest: 705 } });
  expect(told).toEqual(numbers(101, 702));
  await expect(after(702)).rejects.toMatchObject({ data: { reason: 'cursor-too-old', oldest: 705 } });
  await remove(1_198, 1_200);
  told.length = 0;
  await expect(after(1_000, told)).rejects.toMatchObject({ data: { reason: 'cursor-too-old', oldest: 1_201 } });
  expect(told).toEqual(numbers(1_001, 1_197));
  expect(feed.listening).toBe(0);
});

test('the log lets go of its oldest changes by count and age, never of the last, and names the oldest it has', async () => {
  const tenant = start(20);
  const { signal } = new AbortController();
  const from = (after: number) => subscribe(feed, { tenant, filter: every, after, buffer: 10, signal });
  const far = Date.now() + 10 * 86_400_000;
  const remove = (due: { before?: number; count?: number; settled?: number }, limit = 100) =>
    writing.write(
      (tx) => removeChanges(tx, { before: undefined, count: undefined, settled: far, ...due }, limit),
      10_000,
    );
  // What the other tests have left.
  await remove({ count: 1 }, 100_000);
  await append(tenant, 6);
  await append(`${tenant} b`, 2);
  const own = async () => (await feed.read(tenant, 0)).map(({ sequence }) => sequence);
  expect(await remove({ before: 0 })).toBe(0);
  expect(await remove({ count: 1, before: far, settled: 0 })).toBe(0);
  await remove({ count: 4 }, 1);
  expect(await own()).toEqual([2, 3, 4, 5, 6]);
  await remove({ count: 4 });
  expect(await own()).toEqual([3, 4, 5, 6]);
  expect(await feed.read(`${tenant} b`, 0)).toHaveLength(2);
  await expect(from(1)).rejects.toMatchObject({ data: { reason: 'cursor-too-old', oldest: 3 } });
  await expect(feed.after(tenant, 0)).rejects.toMatchObject({ data: { reason: 'cursor-too-old', oldest: 3 } });
  expect(await collect(await from(2), 6)).toEqual([3, 4, 5, 6]);
  // One whose clock was behind does not tear a hole into the log.
  await writing.run(
    'WRITE',
    'MATCH (c:Change {tenant: $tenant, sequence: 4}) SET c.timestamp = datetime()+duration("P1D")',
    {
      tenant,
    },
  );
  const soon = Date.now() + 60_000;
  await remove({ before: soon });
  expect(await own()).toEqual([4, 5, 6]);
  await remove({ before: soon + 2 * 86_400_000 });
  expect(await own()).toEqual([6]);
  await append(tenant, 1);
  expect(await collect(await from(5), 7)).toEqual([6, 7]);
});

test('a subscriber that goes away leaves nobody listening, whether it has begun to read or not', async () => {
  const tenant = start(20);
  await append(tenant, 3);
  const early = new AbortController();
  early.abort();
  await subscribe(feed, { tenant, filter: every, buffer: 10, signal: early.signal });
  const unread = new AbortController();
  await subscribe(feed, { tenant, filter: every, buffer: 10, signal: unread.signal });
  unread.abort();
  const waiting = new AbortController();
  const changes = await subscribe(feed, { tenant, filter: every, after: 2, buffer: 10, signal: waiting.signal });
  const collecting = collect(changes, 4);
  await sleep(50);
  waiting.abort();
  expect(await collecting).toEqual([3]);
  await expect(
    subscribe(feed, { tenant, filter: every, after: 99, buffer: 10, signal: new AbortController().signal }),
  ).rejects.toMatchObject({ data: { reason: 'cursor-ahead', newest: 3 } });
  expect(feed.listening).toBe(0);
});

test('each tenant hears its own changes only', async () => {
  const one = start(20);
  const other = `${one} and another`;
  const { signal } = new AbortController();
  const changes = await subscribe(feed, { tenant: one, filter: every, buffer: 100, signal });
  const others = await subscribe(feed, { tenant: other, filter: every, buffer: 100, signal });
  await append(other, 5);
  await append(one, 2);
  expect(await collect(changes, 2)).toEqual([1, 2]);
  expect(await collect(others, 5)).toEqual([1, 2, 3, 4, 5]);
});
