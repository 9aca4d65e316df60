import { afterEach, expect, jest, test } from '@jest/globals';
import { deferred } from '../../../src/base/deferred.ts';
import { Capture, type CaptureParts } from '../../../src/knowledge/capture/capture.ts';
import type { Taken } from '../../../src/knowledge/capture/takeEdits.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

/** Edits of one tenant that wait in a graph of which a test says how it stands, and by a clock of the test. */
function capture() {
  const state = { now: 1_000, made: 1, running: 0, waiting: true };
  jest.spyOn(performance, 'now').mockImplementation(() => state.now);
  const writes: { end(): void }[] = [];
  const rowsOf = (query: string): object[] => {
    if (query.includes('DISTINCT tenant')) return state.waiting ? [{ tenant: 'blue' }] : [];
    if (query.includes('l.edited')) return [{ tenant: 'blue', edited: state.made }];
    return [{ last: state.waiting ? 7 : null }];
  };
  const tx = {
    run: async (query: string) => ({
      records: rowsOf(query).map((row) => ({ get: (name: keyof typeof row) => row[name] })),
    }),
  };
  const database = {
    name: 'neo4j',
    read: (work: (from: typeof tx) => Promise<unknown>) => work(tx),
    run: async () => [{ running: state.running }],
    write: async () => {
      const { promise, resolve } = deferred();
      writes.push({ end: resolve });
      await promise;
      state.waiting = false;
      return { edits: 1, verdicts: [], told: [] } satisfies Taken;
    },
  };
  const taken: string[] = [];
  const parts = {
    ...{ database, dictionary: { reload: async () => {} }, timeoutMs: 1_000, pollMs: 1_000_000 },
    onTaken: (tenant: string) => taken.push(tenant),
    onError: (error: unknown) => taken.push(String(error)),
  };
  return { state, writes, taken, capturing: new Capture(parts as unknown as CaptureParts) };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

test('who asks while edits are being taken waits for the same, and they are taken once', async () => {
  const { capturing, writes, taken } = capture();
  const both = [capturing.take('blue'), capturing.take('blue')];
  await soon();
  expect(writes).toHaveLength(1);
  writes[0]?.end();
  await Promise.all(both);
  expect(taken).toEqual(['blue']);
});

test('who closes waits for what is being taken', async () => {
  const { capturing, writes, taken } = capture();
  void capturing.take('blue');
  await soon();
  const closing = capturing.close().then(() => taken.push('closed'));
  await soon();
  expect(taken).toEqual([]);
  writes[0]?.end();
  await closing;
  expect(taken).toEqual(['blue', 'closed']);
});

test('edits are taken once no more have come for a while, and none while somebody loads', async () => {
  const { capturing, state, writes } = capture();
  const looked = async (ms: number, changes: Partial<typeof state> = {}) => {
    Object.assign(state, { now: state.now + ms }, changes);
    void capturing.takeAll();
    await soon();
    return writes.length;
  };
  expect(await looked(0)).toBe(0);
  expect(await looked(299)).toBe(0);
  expect(await looked(1, { running: 1 })).toBe(0);
  expect(await looked(1_000, { made: 2 })).toBe(0);
  expect(await looked(299, { running: 0 })).toBe(0);
  expect(await looked(1)).toBe(1);
  writes[0]?.end();
});

test('edits that come for ever are taken after half a minute', async () => {
  const { capturing, state, writes } = capture();
  for (let seconds = 0; seconds < 30; seconds++) {
    void capturing.takeAll();
    await soon();
    expect(writes).toHaveLength(0);
    state.now += 1_000;
    state.made += 1;
  }
  void capturing.takeAll();
  await soon();
  expect(writes).toHaveLength(1);
  writes[0]?.end();
});
