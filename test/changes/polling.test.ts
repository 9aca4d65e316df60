import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { ChangeFeed } from '../../src/changes/feed.ts';
import { compileFilter } from '../../src/changes/filter.ts';
import type { Database } from '../../src/graph/database/database.ts';
import type { LoggedChange } from '../../src/graph/updates/changeLog.ts';
import { loggedChange } from './loggedChange.ts';

/** The feed of logs that are kept here, and what it has asked of them. */
class FeedOfLists extends ChangeFeed {
  readonly logs = new Map<string, LoggedChange[]>();
  /** The number of tenants that were asked one by one, or since when all were, in milliseconds before now. */
  readonly asked: ({ tenants: number } | { sinceMs: number })[] = [];
  readonly errors: unknown[] = [];

  constructor() {
    const errors: unknown[] = [];
    super({} as Database, { pollMs: 100, idlePollMs: 500, onError: (error) => errors.push(error) });
    this.errors = errors;
  }

  override async head(): Promise<number> {
    return 0;
  }

  override async read(tenant: string, after: number): Promise<LoggedChange[]> {
    return (this.logs.get(tenant) ?? []).slice(after);
  }

  protected override async sequences(tenants: string[]): Promise<Map<string, number>> {
    this.asked.push({ tenants: tenants.length });
    return new Map(tenants.map((tenant) => [tenant, this.logs.get(tenant)?.length ?? 0]));
  }

  protected override async sequencesSince(since: number): Promise<Map<string, number>> {
    this.asked.push({ sinceMs: Date.now() - since });
    return new Map([...this.logs].map(([tenant, log]) => [tenant, log.length]));
  }
}

let feed: FeedOfLists;
beforeEach(() => {
  jest.useFakeTimers();
  feed = new FeedOfLists();
});
afterEach(async () => {
  await feed.close();
  jest.useRealTimers();
});

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const polls = async (ms: number) => {
  const before = feed.asked.length;
  await pass(ms);
  return feed.asked.length - before;
};

async function listen(tenants: number): Promise<number[]> {
  const heard: number[] = [];
  for (let tenant = 1; tenant <= tenants; tenant += 1)
    await feed.listen(`t${tenant}`, compileFilter({}), (changes) =>
      heard.push(...changes.map(({ sequence }) => sequence)),
    );
  return heard;
}

test('it polls less often once there was no change for half a minute, and as before with the next one', async () => {
  const heard = await listen(1);
  feed.start();
  expect(await polls(10_000)).toBe(100);
  await pass(21_000);
  expect(await polls(10_000)).toBe(20);
  feed.logs.set('t1', [loggedChange(1)]);
  await pass(500);
  expect(heard).toEqual([1]);
  expect(await polls(10_000)).toBe(100);
});

test('a commit of its own wakes it at once, also while it is idle', async () => {
  const heard = await listen(1);
  feed.start();
  await pass(40_050);
  feed.logs.set('t1', [loggedChange(1)]);
  feed.wake();
  await pass(0);
  expect(heard).toEqual([1]);
});

test('up to a hundred tenants are asked one by one', async () => {
  await listen(100);
  feed.start();
  await pass(1_000);
  expect(feed.asked).toEqual(Array.from({ length: 10 }, () => ({ tenants: 100 })));
});

test('of more, those are asked for that have changed of late, and every five seconds all', async () => {
  const heard = await listen(101);
  feed.start();
  await pass(10_000);
  const whole = feed.asked.filter((each) => 'tenants' in each);
  expect([feed.asked.length, whole.length]).toEqual([100, 2]);
  expect(feed.asked[1]).toEqual({ sinceMs: 70_000 });
  feed.logs.set('t77', [loggedChange(1)]);
  await pass(100);
  expect(heard).toEqual([1]);
});

test('a log with a fault is asked for with every poll, so that the feed is not well before it is whole', async () => {
  await listen(101);
  feed.logs.set('t5', [loggedChange(2)]);
  feed.start();
  await pass(1_000);
  expect(feed.asked).toEqual(Array.from({ length: 10 }, () => ({ tenants: 101 })));
  expect(feed.errors).toHaveLength(10);
  expect(feed.lagSeconds()).toBeGreaterThanOrEqual(1);
});

test('a clock that is set makes the feed neither ill nor well, and has it look as often', async () => {
  await listen(1);
  feed.start();
  await pass(1_000);
  jest.setSystemTime(Date.now() + 3_600_000);
  expect(feed.lagSeconds()).toBeLessThan(1);
  jest.setSystemTime(Date.now() - 7_200_000);
  // As while Neo4j is away.
  feed.logs.set('t1', [loggedChange(2)]);
  expect(await polls(2_000)).toBeGreaterThanOrEqual(4);
  expect(feed.lagSeconds()).toBeGreaterThanOrEqual(2);
});

test('of those who begin at once to listen to a tenant each hears', async () => {
  const heard: string[] = [];
  const begin = (name: string) => feed.listen('t1', compileFilter({}), () => heard.push(name));
  await Promise.all([begin('one'), begin('other')]);
  feed.start();
  feed.logs.set('t1', [loggedChange(1)]);
  await pass(100);
  expect(heard.sort()).toEqual(['one', 'other']);
});

test('who leaves takes nobody along, and after the last one the tenant is asked for no more', async () => {
  const heard: string[] = [];
  const begin = (name: string) => feed.listen('t1', compileFilter({}), () => heard.push(name));
  const [one, other] = [await begin('one'), await begin('other')];
  feed.start();
  one.stop();
  feed.logs.set('t1', [loggedChange(1)]);
  await pass(100);
  expect(heard).toEqual(['other']);
  other.stop();
  await pass(100);
  expect(feed.asked.at(-1)).toEqual({ tenants: 0 });
});
