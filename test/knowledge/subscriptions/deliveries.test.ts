import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { Batches } from '../../../src/base/batches.ts';
import { Slots } from '../../../src/calls/slots.ts';
import { ChangeFeed } from '../../../src/changes/feed.ts';
import { parseAllowed } from '../../../src/config/allowedReceivers.ts';
import type { Closed } from '../../../src/graph/names/closed.ts';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import { lockLedger, recordChanges, recordUpdates } from '../../../src/graph/updates/ledger.ts';
import { Operations } from '../../../src/knowledge/query/operations.ts';
import { ChangeClasses } from '../../../src/knowledge/subscribe/changeClasses.ts';
import { changeFollower } from '../../../src/knowledge/subscribe/follow.ts';
import { Deliveries, type DeliveriesParts } from '../../../src/knowledge/subscriptions/deliveries.ts';
import { SubscriptionStore } from '../../../src/knowledge/subscriptions/store.ts';
import type { StoredSubscription } from '../../../src/knowledge/subscriptions/stored.ts';
import { attempt } from '../../../src/push/attempt.ts';
import { withSubscriptions } from '../../../src/schema/subscription.ts';
import { localPrincipal } from '../../../src/security/principal.ts';
import { createInstruments } from '../../../src/telemetry/instruments.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { eventually } from '../../a2a/testService.ts';
import { startReceiver, type TestReceiver } from '../../push/receiver.ts';
import { emptyGraph } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';

const database = useDatabase();
const tenant = localPrincipal.tenant;
const schema = withSubscriptions(
  buildSchema('scalar JSON scalar DateTime type StatementObject { id: ID } type Query { a: ID }'),
);
let receiver: TestReceiver;
let feed: ChangeFeed;
let errors: unknown[];
let log: string;
const replicas: Deliveries[] = [];

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(async () => {
  await emptyGraph();
  feed = new ChangeFeed(database, { pollMs: 20, idlePollMs: 20, onError: (error) => void errors.push(error) });
  feed.start();
  [errors, log] = [[], ''];
  receiver.received.length = 0;
  receiver.answer = (response) => response.end();
});
afterEach(async () => {
  for (const each of replicas.splice(0)) await each.close();
  await feed.close();
});

interface Replica {
  deliveries: Deliveries;
  store: SubscriptionStore;
}

/** What is closed to everyone. */
let closed: Closed | undefined;
beforeEach(() => {
  closed = undefined;
});

function replica({ timeoutMs = 10_000, ...parts }: Partial<DeliveriesParts> & { timeoutMs?: number } = {}): Replica {
  const store = new SubscriptionStore(database, randomUUID());
  const closedTo = () => closed;
  const follow = changeFollower({
    ...{ feed, schema, closedTo, buffer: 100, now: Date.now },
    operations: new Operations(schema, { introspection: false, maxDepth: 10 }),
    classes: new ChangeClasses(feed, async () => new Map()),
    readSnapshot: () => Batches.of((async function* () {})()),
    slots: new Slots({ what: 'subscriptions', perAgent: 1_000, inAll: 1_000 }),
  });
  const sending = { allowed: parseAllowed('127.0.0.1'), signing: () => undefined, now: Date.now, timeoutMs };
  const deliveries = new Deliveries({
    ...{ store, follow, closedTo },
    recall: async () => localPrincipal,
    attempt: (...one) => attempt(sending, ...one),
    limits: { events: 10, bytes: 10_000 },
    patience: { attempts: 1_000, baseMs: 20, longestMs: 20 },
    instruments: createInstruments(),
    logger: createLogger('warn', lines),
    leaseMs: 3_000,
    onError: (error) => void errors.push(error),
    ...parts,
  });
  replicas.push(deliveries);
  deliveries.start();
  return { deliveries, store };
}

const lines = {
  write(line: string) {
    log += line;
  },
};
const subscriptionQuery = 'subscription { statementChanged(where: {subject: {eq: "s"}}) { op } }';
let writer: SubscriptionStore;
beforeAll(() => {
  writer = new SubscriptionStore(database, 'nobody');
});

function subscribed(more: Partial<StoredSubscription> = {}): Promise<StoredSubscription> {
  return writer.create({
    ...{ tenant, owner: '', id: randomUUID(), wanted: { subscriptionQuery }, cursor: 0, start: 0 },
    receiver: { url: `${receiver.url}/secret-path`, token: 'secret-token' },
    ...more,
  });
}

/** Appends so many changes of a subject, as an update does. */
async function append(count: number, subject = 's', value = 'o'): Promise<void> {
  await database.write(async (tx) => {
    const ledger = await lockLedger(tx, tenant);
    const updateId = randomUUID();
    const update = { id: updateId, status: 'applied' as const, sourceAgentId: 'a', proposedAt: 0, revision: 1 };
    await recordUpdates(tx, tenant, [{ ...update, statementsAffected: count, affectedIds: [subject] }], 0);
    const changes = Array.from({ length: count }, () => ({
      changeId: randomUUID(),
      op: 'add' as const,
      statement: { subject: { id: subject }, predicate: { id: 'p' }, object: { id: value } },
    }));
    await recordChanges(tx, tenant, { ledger, updates: [{ updateId, changes }], at: Date.now() });
  }, 30_000);
}

interface Event {
  id: string;
  data: { changeMetadata: { sequence: number } };
}
const bodies = () => receiver.received.map(({ body }) => JSON.parse(body) as Event[]);
const sequences = () => bodies().flatMap((each) => each.map(({ data }) => data.changeMetadata.sequence));
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const read = async ({ id }: { id: string }) => writer.find({ tenant, owner: '', id });
const leaseOf = async ({ id }: { id: string }) =>
  (
    await database.run<{ replica: string | null; isHeld: boolean }>(
      'READ',
      'MATCH (s:ChangeSubscription {id: $id}) RETURN s.replica AS replica, s.leaseUntil > datetime() AS isHeld',
      { id },
    )
  )[0];

test('a batch is sent once the one before it is acknowledged and its cursor is kept', async () => {
  const subscription = await subscribed();
  await append(25);
  const cursors: (number | undefined)[] = [];
  receiver.answer = async (response) => {
    cursors.push((await read(subscription))?.cursor);
    response.end();
  };
  replica();
  await eventually(async () => (await read(subscription))?.cursor === 25);
  expect(sequences()).toEqual(numbers(1, 25));
  expect(bodies().map(({ length }) => length)).toEqual([10, 10, 5]);
  expect(cursors).toEqual([0, 10, 20]);
});

test('a delivery has no more bytes than it may, but for one long change', async () => {
  await subscribed();
  await append(3, 's', 'x'.repeat(6_000));
  await append(1, 's', 'y'.repeat(30_000));
  replica();
  await eventually(() => sequences().length >= 4);
  expect(bodies().map((each) => each.map(({ data }) => data.changeMetadata.sequence))).toEqual([[1], [2], [3], [4]]);
});

test('a receiver that does not answer in time, or breaks off, gets the same changes again under the same ids', async () => {
  const subscription = await subscribed();
  await append(2);
  const answers = [() => {}, (response: { destroy(): void }) => response.destroy()];
  receiver.answer = (response) => {
    const next = answers.shift();
    if (next) next(response);
    else response.end();
  };
  replica({ timeoutMs: 1_000 });
  await eventually(async () => (await read(subscription))?.cursor === 2);
  const [first, ...others] = bodies().map((each) => each.map(({ id }) => id));
  expect(others).toEqual([first, first]);
  expect(log).toContain('ETIMEDOUT');
  expect(log).not.toContain('secret');
});

test('of two replicas one serves, and the other takes over when that is gone', async () => {
  const subscription = await subscribed();
  const [one, other] = [replica(), replica()];
  await eventually(async () => (await leaseOf(subscription))?.isHeld === true);
  await append(5);
  await eventually(() => sequences().length >= 5);
  const first = (await leaseOf(subscription))?.replica;
  expect(sequences()).toEqual(numbers(1, 5));
  // Which of them it is shows by who serves on when it has ended.
  const isOne = (await one.store.serving(subscription)) !== undefined;
  await (isOne ? one : other).deliveries.close();
  await append(5);
  await eventually(() => sequences().length >= 10);
  expect(sequences()).toEqual(numbers(1, 10));
  expect((await leaseOf(subscription))?.replica).not.toBe(first);
});

test('what a replica that died had not kept comes again from another, under the same ids', async () => {
  const subscription = await subscribed();
  await append(2);
  // It delivers, and its cursor is never kept.
  const dying = replica();
  let letGo = (_goesOn: boolean) => {};
  dying.store.delivered = () =>
    new Promise((resolve) => {
      letGo = resolve;
    });
  dying.store.renew = async () => [subscription];
  await eventually(() => sequences().length >= 2);
  dying.store.takeOver = async () => [];
  replica();
  await eventually(async () => (await read(subscription))?.cursor === 2);
  letGo(false);
  const [first, again] = bodies().map((each) => each.map(({ id }) => id));
  expect(again).toEqual(first);
});

test('a replica that lost its lease sends nothing more, and its cursor changes nothing', async () => {
  const subscription = await subscribed();
  const { store } = replica();
  await eventually(async () => (await leaseOf(subscription))?.isHeld === true);
  await database.run(
    'WRITE',
    "MATCH (s:ChangeSubscription) SET s.replica = 'another', s.leaseUntil = datetime('2100-01-01')",
  );
  await append(1);
  expect(await store.serving(subscription)).toBeUndefined();
  expect(await store.delivered(subscription, 1)).toBe(false);
  expect(await store.failed(subscription, 'x')).toBeUndefined();
  expect(await store.giveUp(subscription, 'x')).toBe(false);
  await store.release([subscription]);
  expect(await read(subscription)).toMatchObject({ cursor: 0, failures: 0 });
  expect(receiver.received).toEqual([]);
  expect((await leaseOf(subscription))?.isHeld).toBe(true);
});

test('its cursor moves past what does not concern it, so that a log that lets go of that loses it nothing', async () => {
  const subscription = await subscribed();
  replica();
  await append(3, 'other');
  await eventually(async () => (await read(subscription))?.cursor === 3);
  expect((await read(subscription))?.deliveredSequence).toBeUndefined();
  expect(receiver.received).toEqual([]);
});

test('where the log no longer reaches back to its cursor it is paused, with what the log begins with', async () => {
  const subscription = await subscribed();
  await append(5);
  await database.run('WRITE', 'MATCH (c:Change) WHERE c.sequence <= 3 DETACH DELETE c');
  replica();
  await eventually(async () => (await read(subscription))?.pauseReason !== undefined);
  expect(await read(subscription)).toMatchObject({ pauseReason: 'cursor-too-old', oldest: 4 });
  expect(receiver.received).toEqual([]);
});

test('what is closed while a batch waits for its turn is not sent', async () => {
  const subscription = await subscribed();
  const { deliveries, store } = replica();
  const serving = store.serving.bind(store);
  await eventually(async () => (await leaseOf(subscription))?.isHeld === true);
  let looked = 0;
  store.serving = async (key) => {
    looked += 1;
    // Between the look at the changes and their delivery.
    const predicates = new Map([['p', 'shut']]);
    if (looked === 1)
      closed = { classes: new Map(), predicates, labels: new Map(), types: new Map(), properties: new Map() };
    return serving(key);
  };
  await append(1);
  deliveries.wake();
  await eventually(async () => (await read(subscription))?.cursor === 1);
  expect(looked).toBeGreaterThan(0);
  expect(receiver.received).toEqual([]);
});

test('an address that leads inside since it was created is not called, and the subscription is paused', async () => {
  const subscription = await subscribed({ receiver: { url: 'https://10.0.0.1/hook' } });
  await append(1);
  replica();
  await eventually(async () => (await read(subscription))?.pauseReason === 'refused-address');
});

test('one that is paused and resumed at once is served on, though its last batch was still on its way', async () => {
  const subscription = await subscribed();
  // Longer than the test: no look that comes by itself finds what was left.
  const { deliveries } = replica({ leaseMs: 600_000 });
  let answer = () => {};
  receiver.answer = (response) => {
    answer = () => response.end();
    if (receiver.received.length > 1) response.end();
  };
  await append(1);
  await eventually(() => receiver.received.length === 1);
  const key = { tenant, owner: '', id: subscription.id };
  await writer.pause(key);
  deliveries.stop(key);
  await writer.resume(key, undefined);
  deliveries.wake();
  await append(1);
  answer();
  await eventually(async () => (await read(subscription))?.cursor === 2);
  expect(sequences().at(-1)).toBe(2);
});

test('a replica that closes waits for the answer to what is on its way, and lets others take over at once', async () => {
  const subscription = await subscribed();
  const { deliveries } = replica({ leaseMs: 600_000 });
  let answer = () => {};
  receiver.answer = (response) => {
    answer = () => response.end();
  };
  await append(1);
  await eventually(() => receiver.received.length === 1);
  const closing = deliveries.close();
  answer();
  await closing;
  expect(await read(subscription)).toMatchObject({ cursor: 1, deliveredSequence: 1 });
  expect((await leaseOf(subscription))?.isHeld).toBe(false);
});
