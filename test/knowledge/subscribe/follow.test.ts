import { expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { Slots } from '../../../src/calls/slots.ts';
import type { Listener } from '../../../src/changes/audience.ts';
import type { ChangeFeed } from '../../../src/changes/feed.ts';
import type { LoggedChange } from '../../../src/graph/updates/changeLog.ts';
import { changeFollower } from '../../../src/knowledge/subscribe/follow.ts';
import { withSubscriptions } from '../../../src/schema/subscription.ts';
import { localPrincipal } from '../../../src/security/principal.ts';

/** One subscription at a time, to a log that is empty. */
function follower() {
  const listeners: Listener[] = [];
  const listen = async (_tenant: string, _filter: unknown, listener: Listener) => {
    listeners.push(listener);
    return { position: 0, stop() {} };
  };
  const feed = { head: async () => 0, read: async () => [], listen };
  const follow = changeFollower({
    feed: feed as unknown as ChangeFeed,
    schema: withSubscriptions(
      buildSchema('scalar JSON scalar DateTime type StatementObject { id: ID } type Query { a: ID }'),
    ),
    introspection: false,
    maxDepth: 10,
    closedTo: () => undefined,
    classesOf: async () => new Map(),
    buffer: 10,
    slots: new Slots({ what: 'subscriptions', perAgent: 1, inAll: 1 }),
  });
  const begin = (signal: AbortSignal, more = '') =>
    follow({ subscription: `subscription { statementChanged${more} { op } }` }, { principal: localPrincipal, signal });
  return { follow: begin, listeners };
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
