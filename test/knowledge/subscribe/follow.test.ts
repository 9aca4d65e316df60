import { expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { Slots } from '../../../src/calls/slots.ts';
import type { Listener } from '../../../src/changes/audience.ts';
import type { ChangeFeed } from '../../../src/changes/feed.ts';
import type { LoggedChange } from '../../../src/graph/updates/changeLog.ts';
import { changeResults } from '../../../src/graphql/changeResults.ts';
import { changeFollower } from '../../../src/knowledge/subscribe/follow.ts';
import { withSubscriptions } from '../../../src/schema/subscription.ts';
import { localPrincipal } from '../../../src/security/principal.ts';

/** One subscription at a time, to a log that is empty. */
function follower(most = 1) {
  const listeners: Listener[] = [];
  const listen = async (_tenant: string, _filter: unknown, listener: Listener) => {
    listeners.push(listener);
    return { position: 0, stop() {} };
  };
  const schema = withSubscriptions(
    buildSchema('scalar JSON scalar DateTime type StatementObject { id: ID } type Query { a: ID }'),
  );
  const after = async (_tenant: string, time: number) => {
    sought.push(time);
    return 0;
  };
  const sought: number[] = [];
  const feed = { head: async () => 0, read: async () => [], listen, after };
  const follow = changeFollower({
    feed: feed as unknown as ChangeFeed,
    schema,
    introspection: false,
    maxDepth: 10,
    closedTo: () => undefined,
    classesOf: async () => new Map(),
    buffer: 10,
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    slots: new Slots({ what: 'subscriptions', perAgent: most, inAll: most }),
  });
  const begin = (signal: AbortSignal, more = '', since?: string) =>
    follow(
      { subscription: `subscription { statementChanged${more} { op } }`, ...(since !== undefined && { since }) },
      { principal: localPrincipal, signal },
    );
  return { follow: begin, listeners, schema, sought };
}

const lasting = () => new AbortController().signal;
const full = { data: { reason: 'too-many-subscriptions', limit: 1 } };

test('a subscription that is given up before it is read makes room for another', async () => {
  const { follow } = follower();
  const controller = new AbortController();
  await follow(controller.signal);
  await expect(follow(lasting())).rejects.toMatchObject(full);
  controller.abort();
  await expect(follow(lasting())).resolves.toBeDefined();
});

test('so does one that its reader has ended', async () => {
  const { follow } = follower();
  const controller = new AbortController();
  const changes = (await follow(controller.signal))[Symbol.asyncIterator]();
  const first = changes.next();
  await expect(follow(lasting())).rejects.toMatchObject(full);
  controller.abort();
  await first;
  await expect(follow(lasting())).resolves.toBeDefined();
});

test('so does one that ends of itself, though its caller stays', async () => {
  const { follow, listeners } = follower();
  const changes = (await follow(lasting()))[Symbol.asyncIterator]();
  // More than may wait for it: who reads so slowly is told so.
  listeners[0]?.(Array.from({ length: 11 }, () => ({}) as LoggedChange));
  await expect(changes.next()).rejects.toMatchObject({ data: { reason: 'slow-consumer' } });
  await expect(follow(lasting())).resolves.toBeDefined();
});

test('one that is refused takes none', async () => {
  const { follow } = follower();
  await expect(follow(lasting(), '(afterSequence: 7)')).rejects.toMatchObject({ data: { reason: 'cursor-ahead' } });
  await expect(follow(lasting())).resolves.toBeDefined();
});

const change = (sequence: number): LoggedChange => ({
  sequence,
  changeId: `c${sequence}`,
  op: 'add',
  statement: { subject: { id: 's' }, predicate: { id: 'p' }, object: { id: 'o' } },
  timestamp: '2024-01-01T00:00:00.000Z',
  updateId: 'u',
  revision: 1,
  sourceAgentId: 'ann',
});
const account = { sent() {}, ended() {} };

test('who selects the same of the same change shares one result, and who selects other fields gets those', async () => {
  const { follow, listeners, schema } = follower(3);
  const signal = lasting();
  const results = await Promise.all(
    ['', '', '(where: {op: {eq: add}})'].map(async (more) =>
      changeResults(await follow(signal, more), { schema, signal, open: () => account }),
    ),
  );
  const all = results.map(async (each) => (await each.next()).value);
  const batch = [change(1)];
  for (const listener of listeners) listener(batch);
  const [one, same, other] = await Promise.all(all);
  expect(one).toMatchObject({ data: { statementChanged: { op: 'add' } } });
  expect(same).toBe(one);
  expect(other).not.toBe(one);
  expect(other).toEqual(one);
});

test('what waits is taken at once, in order', async () => {
  const { follow, listeners } = follower();
  const changes = await follow(lasting());
  for (let sequence = 1; sequence <= 10; sequence++) listeners[0]?.([change(sequence)]);
  expect((await changes.next())?.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('a subscription since a time begins there, and does not tell where in the log that is', async () => {
  const { follow, sought } = follower(3);
  const since = '2025-12-31T23:59:59.999+01:00';
  expect((await follow(lasting(), '', since)).start).toBeUndefined();
  expect(sought).toEqual([Date.parse(since)]);
  // Who resumes sends the cursor beside what it began with.
  expect((await follow(lasting(), '(afterSequence: 0)', since)).start).toBe(0);
  expect(sought).toHaveLength(1);
  await expect(follow(lasting(), '', '2026-01-01T00:00:00.001Z')).rejects.toMatchObject({
    data: { reason: 'since-ahead', now: '2026-01-01T00:00:00.000Z' },
  });
});
