import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ChangeFeed } from '../../src/changes/feed.ts';
import { compileFilter } from '../../src/changes/filter.ts';
import type { Database } from '../../src/graph/database/database.ts';
import type { LoggedChange } from '../../src/graph/updates/changeLog.ts';

/** The feed of a log that is kept here. */
class FeedOfList extends ChangeFeed {
  readonly log: LoggedChange[] = [];

  constructor() {
    super({} as Database, {
      pollMs: 60_000,
      onError: (error) => {
        throw error;
      },
    });
  }

  append(): void {
    this.log.push({
      sequence: this.log.length + 1,
      changeId: 'c',
      op: 'add',
      statement: { subject: { id: 's' }, predicate: { id: 'p' }, object: { id: 'o' } },
      timestamp: '2024-01-01T00:00:00.000Z',
      updateId: 'u',
      revision: 1,
      sourceAgentId: 'ann',
    });
    this.wake();
  }

  override async read(_tenant: string, after: number): Promise<LoggedChange[]> {
    return this.log.slice(after);
  }

  protected override async sequences(tenants: string[]): Promise<Map<string, number>> {
    return new Map(tenants.map((tenant) => [tenant, this.log.length]));
  }
}

async function batches(listeners: number): Promise<number[]> {
  const feed = new FeedOfList();
  const heard: number[] = [];
  const begin = (listener: number) =>
    feed.listen('t', compileFilter({}), (changes) => void (listener === 0 && heard.push(changes.length)));
  await Promise.all(Array.from({ length: listeners }, (_, listener) => begin(listener)));
  for (let change = 0; change < 4; change++) {
    feed.append();
    await new Promise(setImmediate);
  }
  await sleep(500);
  const started = performance.now();
  feed.append();
  await sleep(1);
  await feed.close();
  // Nobody who stops waits for its rest.
  expect(performance.now() - started).toBeLessThan(190);
  return heard;
}

test('what comes while the feed rests, after a change that thousands got, is told them together', async () => {
  expect(await batches(20_000)).toEqual([1, 3, 1]);
});

test('few are told each change as it comes', async () => {
  expect(await batches(10)).toEqual([1, 1, 1, 1, 1]);
});
