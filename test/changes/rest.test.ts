import { expect, test } from '@jest/globals';
import { ChangeFeed } from '../../src/changes/feed.ts';
import { compileFilter } from '../../src/changes/filter.ts';
import type { Database } from '../../src/graph/database/database.ts';
import type { LoggedChange } from '../../src/graph/updates/changeLog.ts';
import { loggedChange } from './loggedChange.ts';

/** The feed of a log that is kept here. */
class FeedOfList extends ChangeFeed {
  readonly log: LoggedChange[] = [];

  constructor() {
    super({} as Database, {
      pollMs: 60_000,
      idlePollMs: 60_000,
      onError: (error) => {
        throw error;
      },
    });
  }

  append(): void {
    this.log.push(loggedChange(this.log.length + 1));
    this.wake();
  }

  /** How long it has rested, and is resting until it is let go on. Milliseconds. */
  readonly rests: number[] = [];
  goOn = () => {};

  protected override rest(ms: number): Promise<void> {
    this.rests.push(ms);
    return new Promise((resolve) => {
      this.goOn = resolve;
    });
  }

  override async read(_tenant: string, after: number): Promise<LoggedChange[]> {
    return this.log.slice(after);
  }

  protected override async sequences(tenants: string[]): Promise<Map<string, number>> {
    return new Map(tenants.map((tenant) => [tenant, this.log.length]));
  }
}

async function listening(listeners: number): Promise<{ feed: FeedOfList; heard: number[] }> {
  const feed = new FeedOfList();
  const heard: number[] = [];
  const begin = (listener: number) =>
    feed.listen('t', compileFilter({}), (changes) => void (listener === 0 && heard.push(changes.length)));
  await Promise.all(Array.from({ length: listeners }, (_, listener) => begin(listener)));
  return { feed, heard };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

test('what comes while the feed rests, after a change that thousands got, is told them together', async () => {
  const { feed, heard } = await listening(20_000);
  feed.append();
  await until(() => feed.rests.length === 1);
  for (let change = 0; change < 3; change++) feed.append();
  expect(heard).toEqual([1]);
  feed.goOn();
  await until(() => feed.rests.length === 2);
  expect(heard).toEqual([1, 3]);
  expect(feed.rests).toEqual([200, 200]);
  feed.goOn();
  await feed.close();
});

test('however many get a change, it rests for a quarter of a second at most', async () => {
  const { feed } = await listening(30_000);
  feed.append();
  await until(() => feed.rests.length === 1);
  expect(feed.rests).toEqual([250]);
  feed.goOn();
  await feed.close();
});

test('few are told each change as it comes', async () => {
  const { feed, heard } = await listening(10);
  for (let change = 1; change <= 3; change++) {
    feed.append();
    await until(() => heard.length === change);
  }
  expect(heard).toEqual([1, 1, 1]);
  expect(feed.rests).toEqual([]);
  await feed.close();
});
