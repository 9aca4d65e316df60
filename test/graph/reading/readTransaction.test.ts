import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { type ReadParts, ReadTransaction, type ReadWishes } from '../../../src/graph/reading/readTransaction.ts';
import { Qualifier } from '../../support/qualifier.ts';
import { useDatabase } from '../../support/setUp.ts';

const database = useDatabase();

const reading = (
  limits: Partial<ReadParts> = {},
  signal = new AbortController().signal,
  wishes: ReadWishes = {},
  tenant = 'limits',
) => {
  const parts: ReadParts = {
    database,
    qualifier: new Qualifier(new Map()),
    onUnconfined: (rule) => {
      throw new Error(rule);
    },
    timeoutMs: 60_000,
    maxRows: 1_000,
    maxBytes: 1_000_000,
    ...limits,
  };
  return new ReadTransaction(parts, { tenant }, signal, wishes);
};

/** Runs one query in a read of its own. */
async function read(query: string, limits: Partial<ReadParts> = {}) {
  const tx = reading(limits);
  try {
    return (await tx.run(query)).records;
  } finally {
    tx.end();
  }
}

/** What takes longer than any test. */
const endless = 'UNWIND range(1, 1000000000) AS a UNWIND range(1, 1000000000) AS b RETURN count(a + b) AS endless';

/**
 * The transactions that are open in Neo4j beside the one that looks: all, or those whose query has a mark in its text.
 */
async function running(mark = ''): Promise<number> {
  const found = await database.run<{ currentQuery: string }>(
    'READ',
    `SHOW TRANSACTIONS YIELD currentQuery
     WHERE currentQuery CONTAINS $mark AND NOT currentQuery STARTS WITH 'SHOW' RETURN currentQuery`,
    { mark },
  );
  return found.length;
}

async function untilRunning(wanted: number, mark?: string): Promise<void> {
  for (const end = Date.now() + 60_000; (await running(mark)) !== wanted; await sleep(20)) {
    if (Date.now() > end) throw new Error(`There are not ${wanted} reads after ten seconds`);
  }
}

describe('rows', () => {
  const rows = (count: number) => `UNWIND range(1, ${count}) AS n RETURN n`;

  test('below and at the limit are answered, and one more is refused', async () => {
    expect(await read(rows(999))).toHaveLength(999);
    expect(await read(rows(1_000))).toHaveLength(1_000);
    await expect(read(rows(1_001))).rejects.toMatchObject({
      code: -32010,
      data: { reason: 'too-many-rows', limit: 1_000, retryable: false },
    });
  });

  test('of several queries count together', async () => {
    const tx = reading();
    await Promise.all([tx.run(rows(600)), tx.run(rows(400))]);
    await expect(tx.run(rows(1))).rejects.toMatchObject({ data: { reason: 'too-many-rows' } });
    tx.end();
  });

  test('inside of one record count as well', async () => {
    const edges = (count: number) => `RETURN {edges: [n IN range(1, ${count}) | {node: {n: n}}]} AS page`;
    expect(await read(edges(999))).toHaveLength(1);
    await expect(read(edges(1_000))).rejects.toMatchObject({ data: { reason: 'too-many-rows' } });
  });

  test('are no longer read once they are too many', async () => {
    await expect(read(`UNWIND range(1, 1000000000) AS flood RETURN flood`)).rejects.toMatchObject({
      data: { reason: 'too-many-rows' },
    });
    await untilRunning(0);
  });
});

test('values that already are longer than the answer may be end the read', async () => {
  const texts = (count: number) => `UNWIND range(1, ${count}) AS n RETURN 'abcdefghij' AS text`;
  expect(await read(texts(100), { maxBytes: 1_000 })).toHaveLength(100);
  await expect(read(texts(101), { maxBytes: 1_000 })).rejects.toMatchObject({
    code: -32010,
    data: { reason: 'answer-too-large', limit: 1_000 },
  });
});

test('a read that takes longer than the limit is stopped, and the limit told', async () => {
  await expect(read(endless, { timeoutMs: 200 })).rejects.toMatchObject({
    code: -32010,
    data: { reason: 'timeout', limit: 200, retryable: false },
  });
});

test('a read that takes more memory than a transaction may is stopped', async () => {
  await expect(
    read('UNWIND range(1, 100000000) AS n RETURN size(collect(toString(n) + "memory")) AS size'),
  ).rejects.toMatchObject({
    code: -32010,
    data: { reason: 'too-much-memory', limit: expect.any(Number), retryable: false },
  });
});

describe('a signal', () => {
  test('ends the query that runs in Neo4j', async () => {
    const caller = new AbortController();
    const tx = reading({}, caller.signal);
    const answer = tx.run(endless);
    answer.catch(() => {});
    await untilRunning(1, 'count(');
    caller.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
    await untilRunning(0);
  });

  test('that was given before lets nothing begin', async () => {
    const tx = reading({}, AbortSignal.abort(new Error('gone')));
    await expect(tx.run('RETURN 1 AS one')).rejects.toThrow('gone');
  });
});

test('a read that is over leaves nothing at the signal of its caller', async () => {
  const { signal } = new AbortController();
  const tx = reading({}, signal);
  await tx.run('RETURN 1 AS one');
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  tx.end();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('a read waits for the revision that it is asked for, and no longer, and tells which it has seen', async () => {
  const tenant = `revisions ${crypto.randomUUID()}`;
  const set = (revision: number) =>
    database.run('WRITE', 'MERGE (l:Ledger {tenant: $tenant}) SET l.revision = $revision, l.sequence = 0', {
      tenant,
      revision,
    });
  await set(2);
  const tx = reading({}, undefined, { afterRevision: 3 }, tenant);
  const answer = tx.run('RETURN 1 AS one');
  await set(3);
  expect((await answer).records).toHaveLength(1);
  await tx.run('RETURN 2 AS two');
  expect(await tx.summary()).toMatchObject({ revision: 3, queries: 2 });
  tx.end();
  await database.run('WRITE', 'MATCH (l:Ledger {tenant: $tenant}) DELETE l', { tenant });
});

test('whether a read began at indexes is told of all of its queries', async () => {
  const answered = async (...indexed: boolean[]) => {
    const qualifier = new Qualifier(new Map());
    let next = 0;
    const tx = reading({
      qualifier: {
        qualify: (...given) => ({ ...qualifier.qualify(...given), usesIndex: indexed[next++] ?? true }),
      },
    });
    for (const _ of indexed) await tx.run('RETURN 1 AS one');
    const { usedIndex } = await tx.summary();
    tx.end();
    return usedIndex;
  };
  expect(await answered()).toBeUndefined();
  expect(await answered(true, true)).toBe(true);
  expect(await answered(false, true)).toBe(false);
  expect(await answered(true, false)).toBe(false);
});

test('a read that waits for a revision ends each transaction in which it looked', async () => {
  const tx = reading({}, undefined, { afterRevision: 1 });
  // Some hundred looks.
  await expect(tx.run('RETURN 1 AS one')).rejects.toMatchObject({
    data: { reason: 'revision-not-reached', revision: 0, retryable: true },
  });
  await untilRunning(0);
});
