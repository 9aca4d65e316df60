import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Database } from '../../../src/graph/database/database.ts';
import { ReadTransaction, type ReadWishes } from '../../../src/graph/reading/readTransaction.ts';
import { Qualifier } from '../../support/qualifier.ts';
import { testAddress } from '../../support/service.ts';

/** All callers share one connection: whatever a read leaves behind on it, the next one meets. */
let database: Database;

beforeAll(() => {
  database = new Database({ ...testAddress(), connections: 1 });
});
afterAll(() => database.close());

function reading(signal = new AbortController().signal, wishes: ReadWishes = {}, on = database) {
  const parts = {
    database: on,
    onUnconfined: (rule: string) => {
      throw new Error(rule);
    },
    qualifier: new Qualifier(new Map()),
    timeoutMs: 60_000,
    maxRows: 1_500,
    maxBytes: 1_000_000,
  };
  return new ReadTransaction(parts, { tenant: 'ends' }, signal, wishes);
}

/** A caller who meets what another has left may wait for ever. */
const patienceMs = 120_000;

const one = 'RETURN 1 AS one';
const endless = 'UNWIND range(1, 1000000000) AS a UNWIND range(1, 1000000000) AS b RETURN count(a + b) AS endless';
const flood = 'UNWIND range(1, 1000000000) AS flood RETURN flood';
const failing = 'UNWIND [1, 0] AS n RETURN 1 / n AS quotient';
const unplannable = 'RETURN point({x: 1}) AS nowhere';

/** Within a transaction of somebody's read the write would be refused, and the second transaction not begin. */
async function nextCallers(on = database): Promise<void> {
  const written = await on.run('WRITE', 'CREATE (n:ReadEnds) DELETE n RETURN 1 AS kept');
  expect(written).toEqual([{ kept: 1 }]);
  const read = await on.read(async (tx) => (await tx.run('RETURN 1 AS one')).records.length, 60_000);
  expect(read).toBe(1);
}

/** Ends a read so many turns of promises after its first query: the driver begins the transaction meanwhile. */
async function endedAfter(turns: number, on = database): Promise<void> {
  const tx = reading(undefined, {}, on);
  tx.run(one).catch(() => {});
  for (let turn = 0; turn < turns; turn++) await null;
  tx.end();
}

/** Every way in which a read ends; what it throws is told to its caller. */
const ways: Record<string, (tx: ReadTransaction, caller: AbortController) => Promise<unknown>> = {
  'with its answer': (tx) => tx.run(one),
  'with several answers': (tx) => Promise.all([tx.run(one), tx.run(failing.replace('0', '2')), tx.run(one)]),
  'by a query that fails': (tx) => tx.run(failing),
  'by a query that cannot be planned': (tx) => tx.run(unplannable),
  'by several that fail, between others': (tx) =>
    Promise.all([tx.run(one), tx.run(failing), tx.run(unplannable), tx.run(one), tx.run(failing)]),
  'by one that fails after another was answered': async (tx) => {
    await tx.run(one);
    await Promise.all([tx.run(one), tx.run(failing), tx.run(one)]);
  },
  'by the limit of rows': (tx) => tx.run(flood),
  'by the limit of bytes, in the first portion': (tx) =>
    tx.run(`${flood}, reduce(text = '', n IN range(1, 2000) | text + 'x') AS text`),
  twice: async (tx) => {
    await tx.run(one);
    tx.end();
  },
  'by its caller before it has begun': async (tx, caller) => {
    caller.abort(new Error('gone'));
    await tx.run(one);
  },
  'by its caller in the middle of a query': async (tx, caller) => {
    const answer = tx.run(endless);
    sleep(30).then(() => caller.abort(new Error('gone')));
    await answer;
  },
};

test.each(Object.keys(ways))(
  'A read that ends %s leaves a free connection',
  async (way) => {
    for (let time = 0; time < 5; time++) {
      const caller = new AbortController();
      const tx = reading(caller.signal);
      await ways[way]?.(tx, caller).catch(() => {});
      tx.end();
      await nextCallers();
    }
  },
  patienceMs,
);

test('A read that is ended at any moment of its beginning leaves a free connection', async () => {
  for (let moment = 0; moment < 60; moment++) {
    await endedAfter(moment);
    await nextCallers();
  }
});

test('A query that comes after the end is refused and opens nothing', async () => {
  const unopened = reading();
  unopened.end();
  await expect(unopened.run(one)).rejects.toThrow('over');
  await nextCallers();
  const opened = reading();
  await opened.run(one);
  opened.end();
  await expect(opened.run(one)).rejects.toThrow('over');
  await nextCallers();
});

test('A read that ends while it waits for a revision looks no further', async () => {
  const tx = reading(undefined, { afterRevision: 1_000_000 });
  const answer = tx.run(one);
  answer.catch(() => {});
  await sleep(100);
  tx.end();
  await expect(answer).rejects.toThrow('over');
  await nextCallers();
});

test('A caller who goes while the read waits for a connection takes none', async () => {
  const holder = reading();
  const held = holder.run(endless);
  held.catch(() => {});
  const caller = new AbortController();
  const waiting = reading(caller.signal).run(one);
  waiting.catch(() => {});
  await sleep(30);
  caller.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  holder.end();
  await nextCallers();
});

test(
  'Of eight callers whose reads end in every way none meets what another has left',
  async () => {
    const shared = new Database({ ...testAddress(), connections: 8 });
    const all = Object.values(ways);
    const caller = async (number: number) => {
      for (let moment = 0; moment < 20; moment++) {
        const gone = new AbortController();
        const tx = reading(gone.signal, {}, shared);
        await all[(moment + number) % all.length]?.(tx, gone).catch(() => {});
        tx.end();
        await nextCallers(shared);
        await endedAfter(moment, shared);
        await nextCallers(shared);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, number) => caller(number)));
    await shared.close();
  },
  patienceMs,
);
