import { expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { deferred } from '../../../../src/base/deferred.ts';
import { Slots } from '../../../../src/calls/slots.ts';
import type { Listener } from '../../../../src/changes/audience.ts';
import type { ChangeFeed } from '../../../../src/changes/feed.ts';
import type { Closed } from '../../../../src/graph/names/closed.ts';
import { Operations } from '../../../../src/knowledge/query/operations.ts';
import {
  type LiveParts,
  type LiveRequest,
  queryFollower,
} from '../../../../src/knowledge/subscribe/live/liveQueries.ts';
import { localPrincipal, type Principal, type Scope } from '../../../../src/security/principal.ts';
import { loggedChange } from '../../../changes/loggedChange.ts';

const nothing = new Map<string, string>();
const closing: Closed = {
  classes: new Map([['urn:C', 'rule']]),
  predicates: nothing,
  labels: nothing,
  types: nothing,
  properties: nothing,
};

/** Queries that are followed; each run ends when the test says so, with the answer that the policy of its begin gives. */
function followed({ most = 9 } = {}) {
  const state = { closed: undefined as Closed | undefined, sequence: 7 };
  const listeners = new Set<Listener>();
  const runs: { end(text: string): void }[] = [];
  const operations = new Operations(buildSchema('type Query { a: String }'), { introspection: false, maxDepth: 10 });
  const follow = queryFollower({
    feed: {
      listen: async (_tenant: string, _filter: unknown, listener: Listener) => {
        listeners.add(listener);
        return { position: state.sequence, told: () => state.sequence, stop: () => listeners.delete(listener) };
      },
    } as unknown as ChangeFeed,
    query: (async () => {
      const { promise, resolve } = deferred<string>();
      runs.push({ end: resolve });
      return { data: { a: await promise }, queryMetadata: { revision: 1 } };
    }) as unknown as LiveParts['query'],
    operations,
    classesRead: () => undefined,
    classesOf: () => async () => new Map(),
    closedTo: () => state.closed,
    slots: new Slots({ what: 'live-queries', perAgent: most, inAll: most }),
    intervalMs: 1,
  });
  const ran = async (count: number) => {
    for (const end = Date.now() + 5_000; runs.length < count && Date.now() < end; ) await new Promise(setImmediate);
    const run = runs[count - 1];
    if (!run) throw new Error(`There was no run ${count}`);
    return run;
  };
  const change = () => {
    state.sequence += 1;
    for (const listener of listeners) listener([loggedChange(state.sequence)]);
  };
  const begin = (asked: Partial<LiveRequest> = {}, principal: Principal = localPrincipal) =>
    follow(
      { query: '{ a }', bounds: {}, asPatch: false, ...asked },
      { principal, signal: new AbortController().signal },
    );
  return { state, listeners, runs, ran, change, begin };
}

type Stream = Awaited<ReturnType<ReturnType<typeof followed>['begin']>>;
const answerOf = async (stream: Stream) => (await stream.next())?.map(({ result }) => result.data);

test('who leaves ends nothing for those who follow the same, and the last one ends it', async () => {
  const { begin, ran, runs, change, listeners } = followed();
  const beginning = [begin(), begin()] as const;
  (await ran(1)).end('one');
  const [leaver, stayer] = await Promise.all(beginning);
  expect([await answerOf(leaver), await answerOf(stayer), runs.length]).toEqual([[{ a: 'one' }], [{ a: 'one' }], 1]);
  leaver.stop();
  const next = answerOf(stayer);
  change();
  (await ran(2)).end('two');
  expect(await next).toEqual([{ a: 'two' }]);
  stayer.stop();
  expect(listeners.size).toBe(0);
});

test('who begins under another policy gets an answer of its own, though another still follows under the old one', async () => {
  const { state, begin, ran } = followed();
  const first = begin();
  (await ran(1)).end('open');
  const open = await first;
  expect(await answerOf(open)).toEqual([{ a: 'open' }]);
  state.closed = closing;
  const second = begin();
  (await ran(2)).end('closed');
  const closed = await second;
  expect(await answerOf(closed)).toEqual([{ a: 'closed' }]);
  open.stop();
  closed.stop();
});

test('an answer that another policy has had a part in reaches nobody, not even once the policy is as before', async () => {
  const { state, begin, ran, change } = followed();
  state.closed = closing;
  const beginning = begin();
  (await ran(1)).end('closed');
  const slow = await beginning;
  expect(await answerOf(slow)).toEqual([{ a: 'closed' }]);
  change();
  const run = await ran(2);
  state.closed = undefined;
  run.end('open');
  await new Promise((resolve) => setTimeout(resolve, 20));
  state.closed = closing;
  const next = answerOf(slow);
  (await ran(3)).end('closed again');
  expect(await next).toEqual([{ a: 'closed again' }]);
  slow.stop();
});

test('one that ends gives back its place', async () => {
  const { begin, ran } = followed({ most: 1 });
  const beginning = begin();
  (await ran(1)).end('one');
  const first = await beginning;
  await expect(begin()).rejects.toMatchObject({ data: { reason: 'too-many-live-queries' } });
  first.stop();
  const again = begin();
  (await ran(2)).end('two');
  (await again).stop();
});

test('an answer that is too long to be kept ends it', async () => {
  const { begin, ran } = followed();
  const beginning = begin();
  (await ran(1)).end('x'.repeat(256 * 1024));
  await expect(beginning).rejects.toMatchObject({ data: { reason: 'answer-too-large' } });
});

/** What it is refused with, at once; one that is let in waits for its first answer. */
const refusalOf = (asked: Promise<unknown>) =>
  Promise.race([
    asked.catch((error: unknown) => error),
    new Promise((resolve) => setTimeout(() => resolve('it was let in'), 1_000)),
  ]);

test.each<[string, Scope[]]>([
  ['the scope for queries', ['knowledge:subscribe']],
  ['that for subscriptions', ['knowledge:query']],
])('who lacks %s follows none', async (_what, scopes) => {
  const { begin, runs } = followed();
  const asked = begin({}, { ...localPrincipal, agentId: 'ann', scopes: new Set(scopes) });
  expect(await refusalOf(asked)).toMatchObject({ code: -32012, data: { reason: 'missing-scope' } });
  expect(runs).toEqual([]);
});

test('variables that are too long to be kept are refused before anything runs', async () => {
  const { begin, runs } = followed();
  expect(await refusalOf(begin({ variables: { much: 'x'.repeat(200_000) } }))).toMatchObject({
    message: 'The variables have more than 100000 characters as JSON',
  });
  expect(runs).toEqual([]);
});

test('of one agent two queries run at a time, and of another one more', async () => {
  const { begin, ran, runs } = followed();
  const queries = ['{ a }', '{ b: a }', '{ c: a }'];
  const beginning = queries.map((query) => begin({ query }));
  await ran(2);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(runs).toHaveLength(2);
  const other = begin({}, { ...localPrincipal, agentId: 'bob' });
  (await ran(3)).end('of bob');
  expect(await answerOf(await other)).toEqual([{ a: 'of bob' }]);
  runs[0]?.end('one');
  for (const run of [await ran(4), ...runs]) run.end('more');
  for (const stream of [...(await Promise.all(beginning)), await other]) stream.stop();
});

test('what differs from the answer before is sent where it is shorter, and else the whole answer', async () => {
  const { begin, ran, change } = followed();
  const beginning = begin({ asPatch: true });
  (await ran(1)).end('short');
  const stream = await beginning;
  await stream.next();
  const sent: string[][] = [];
  for (const [index, text] of ['x', 'x'.repeat(100)].entries()) {
    const next = stream.next();
    change();
    (await ran(index + 2)).end(text);
    sent.push(((await next) ?? []).map(({ result }) => ('patch' in result ? 'patch' : 'data')));
  }
  stream.stop();
  // `{"a":"x"}` is shorter than what says that it takes the place of another.
  expect(sent).toEqual([['data'], ['data']]);
});
