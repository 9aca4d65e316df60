import { expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { Batches } from '../../../src/base/batches.ts';
import { Slots } from '../../../src/calls/slots.ts';
import type { Listener } from '../../../src/changes/audience.ts';
import type { ChangeFeed } from '../../../src/changes/feed.ts';
import type { Closed } from '../../../src/graph/names/closed.ts';
import type { LoggedChange } from '../../../src/graph/updates/changeLog.ts';
import { changeResults } from '../../../src/graphql/changeResults.ts';
import { Operations } from '../../../src/knowledge/query/operations.ts';
import { ChangeClasses } from '../../../src/knowledge/subscribe/changeClasses.ts';
import { changeFollower } from '../../../src/knowledge/subscribe/follow.ts';
import { withSubscriptions } from '../../../src/schema/subscription.ts';
import { localPrincipal, type Principal } from '../../../src/security/principal.ts';
import { loggedChange as change } from '../../changes/loggedChange.ts';

const classes: Record<string, { type: string }> = { known: { type: 'urn:C' }, secret: { type: 'urn:Secret' } };

/** One subscription at a time, to a log that is empty, or is this long. */
function follower({ most = 1, head = 0, closedTo = (): Closed | undefined => undefined } = {}) {
  const listeners: Listener[] = [];
  const state = { told: head };
  const listen = async (_tenant: string, _filter: unknown, listener: Listener) => {
    listeners.push(listener);
    return { position: head, told: () => state.told, stop() {} };
  };
  const schema = withSubscriptions(
    buildSchema('scalar JSON scalar DateTime type StatementObject { id: ID } type Query { a: ID }'),
  );
  const sought: number[] = [];
  const feed = {
    listen,
    behind: new Set<object>(),
    head: async () => head,
    read: async (_tenant: string, after: number) =>
      Array.from({ length: Math.max(0, head - after) }, (_, index) => ({ sequence: after + 1 + index, erased: true })),
    after: async (_tenant: string, time: number) => {
      sought.push(time);
      return 0;
    },
  };
  const classesOf = async (_tenant: string, ids: string[]) => new Map(ids.map((id) => [id, classes[id] ?? {}]));
  const follow = changeFollower({
    feed: feed as unknown as ChangeFeed,
    schema,
    operations: new Operations(schema, { introspection: false, maxDepth: 10 }),
    closedTo,
    classes: new ChangeClasses(feed as unknown as ChangeFeed, classesOf),
    buffer: 10,
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    readSnapshot: () => Batches.of((async function* () {})()),
    slots: new Slots({ what: 'subscriptions', perAgent: most, inAll: most }),
  });
  interface Rest {
    after?: number;
    since?: string;
    principal?: Principal;
    variables?: Record<string, unknown>;
  }
  const begin = (signal: AbortSignal, more = '', { principal = localPrincipal, ...rest }: Rest = {}) =>
    follow({ subscription: `subscription { statementChanged${more} { op } }`, ...rest }, { principal, signal });
  return { follow: begin, listeners, schema, sought, state };
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

const account = { sent() {}, ended() {} };

test('who selects the same of the same change shares one result, and who selects other fields gets those', async () => {
  const { follow, listeners, schema } = follower({ most: 3 });
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
  const { follow, sought } = follower({ most: 3 });
  const since = '2025-12-31T23:59:59.999+01:00';
  expect((await follow(lasting(), '', { since })).start).toBeUndefined();
  expect(sought).toEqual([Date.parse(since)]);
  // Who resumes sends the cursor beside what it began with.
  expect((await follow(lasting(), '(afterSequence: 0)', { since })).start).toBe(0);
  expect(sought).toHaveLength(1);
  await expect(follow(lasting(), '', { since: '2026-01-01T00:00:00.001Z' })).rejects.toMatchObject({
    data: { reason: 'since-ahead', now: '2026-01-01T00:00:00.000Z' },
  });
});

test('it starts after the cursor of the request, else after that of the text, else after the last change', async () => {
  const started = async (more: string, after?: number) => {
    const { follow } = follower({ head: 9 });
    return (await follow(lasting(), more, { ...(after !== undefined && { after }) })).start;
  };
  expect(await started('(afterSequence: 7)', 8)).toBe(8);
  expect(await started('(afterSequence: 7)')).toBe(7);
  expect(await started('(afterSequence: 0)')).toBe(0);
  expect(await started('(afterSequence: null)')).toBe(9);
});

test.each([
  ['(afterSequence: -1)', 'is not a cursor'],
  ['(afterSequence: 1.5)', 'is not a cursor'],
  [' { op } ...F } fragment F on Subscription { statementChanged', 'Write the subscription as one field'],
])('%s is no subscription', async (more, message) => {
  await expect(follower().follow(lasting(), more)).rejects.toMatchObject({
    code: -32012,
    message: expect.stringContaining(message),
  });
});

test('who lacks the scope follows nothing, nor does who names what is closed', async () => {
  const without = { ...localPrincipal, scopes: new Set(['knowledge:query'] as const) };
  await expect(follower().follow(lasting(), '', { principal: without })).rejects.toMatchObject({
    code: -32012,
    data: { reason: 'missing-scope' },
  });
  const predicates = new Map([['urn:secret', 'rule']]);
  const none = new Map<string, string>();
  const closedTo = () => ({ predicates, classes: none, labels: none, types: none, properties: none });
  const named = '(where: {predicate: {eq: "urn:secret"}})';
  await expect(follower({ closedTo }).follow(lasting(), named)).rejects.toMatchObject({ code: -32013 });
});

test('only what is asked for is handed on', async () => {
  const { follow, listeners } = follower();
  const changes = await follow(lasting(), '(where: {op: {eq: add}, subject: {type: {eq: "urn:C"}}})');
  const change = (sequence: number, op: string, type?: string, id = 's') =>
    ({
      sequence,
      op,
      statement: { subject: { id, ...(type && { type }) }, predicate: { id: 'p' }, object: { id: 'o' } },
    }) as LoggedChange;
  listeners[0]?.([
    change(1, 'add', 'urn:C'),
    change(2, 'remove', 'urn:C'),
    change(3, 'add'),
    change(4, 'add', 'urn:C'),
    change(5, 'add', undefined, 'known'),
  ]);
  const heard: number[] = [];
  for await (const { sequence } of changes) {
    heard.push(sequence);
    if (sequence === 5) break;
  }
  expect(heard).toEqual([1, 4, 5]);
});

test('who asks by the operation gets what it sees: a replacement of what is closed is an addition', async () => {
  const none = new Map<string, string>();
  const classes = new Map([['urn:Secret', 'rule']]);
  const { follow, listeners } = follower({
    closedTo: () => ({ classes, predicates: none, labels: none, types: none, properties: none }),
  });
  const controller = new AbortController();
  const link = (object: string) => ({ subject: { id: 's' }, predicate: { id: 'p' }, object: { id: object } });
  const replaced = (sequence: number, object: string) =>
    ({ sequence, op: 'replace', statement: link('o'), previous: [link(object)] }) as LoggedChange;
  const heard = async (op: string) => {
    const changes = await follow(controller.signal, `(where: {op: {eq: ${op}}})`);
    listeners.at(-1)?.([replaced(1, 'secret'), replaced(2, 'o')]);
    const [first] = (await changes.next()) ?? [];
    changes.stop();
    return [first?.sequence, first?.op];
  };
  expect([await heard('add'), await heard('replace')]).toEqual([
    [1, 'add'],
    [2, 'replace'],
  ]);
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('its position is behind what was asked on from, and behind what passed by while it waits', async () => {
  const { follow, listeners, state } = follower();
  const changes = await follow(lasting(), '(where: {op: {eq: add}})');
  expect(changes.position()).toBe(0);
  const first = changes.next();
  await settled();
  state.told = 2;
  expect(changes.position()).toBe(2);
  state.told = 3;
  listeners[0]?.([{ ...change(3), op: 'add' }]);
  // On its way, and handed out, but not done with: who went on behind it now would miss it.
  expect(changes.position()).toBe(0);
  await first;
  state.told = 9;
  expect(changes.position()).toBe(0);
  void changes.next();
  await settled();
  expect(changes.position()).toBe(9);
});

test('what it has looked at and does not show is behind its position, and nothing is once it has been stopped', async () => {
  const { follow, listeners, state } = follower();
  const changes = await follow(lasting(), '(where: {subject: {type: {eq: "urn:C"}}})');
  void changes.next();
  await settled();
  listeners[0]?.([change(1)]);
  await settled();
  state.told = 1;
  expect(changes.position()).toBe(1);
  changes.stop();
  state.told = 7;
  expect(changes.position()).toBe(1);
});

test('variables that are too long to be kept are refused, used or not', async () => {
  const { follow } = follower();
  const variables = { unused: 'x'.repeat(100_000) };
  const refused = { code: -32012, data: { reason: 'validation' } };
  await expect(follow(lasting(), '', { variables })).rejects.toMatchObject(refused);
  await expect(follow(lasting())).resolves.toBeDefined();
});
