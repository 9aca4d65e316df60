import { afterEach, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { refuse } from '../../../../src/base/reasons.ts';
import { Slots } from '../../../../src/calls/slots.ts';
import type { Listener } from '../../../../src/changes/audience.ts';
import type { ChangeFeed } from '../../../../src/changes/feed.ts';
import type { Closed } from '../../../../src/graph/names/closed.ts';
import { Operations } from '../../../../src/knowledge/query/operations.ts';
import type { QueryResult } from '../../../../src/knowledge/query/query.ts';
import { type LiveRequest, queryFollower } from '../../../../src/knowledge/subscribe/live/liveQueries.ts';
import { localPrincipal } from '../../../../src/security/principal.ts';
import { loggedChange } from '../../../changes/loggedChange.ts';

const nothing = new Map<string, string>();
const closing = (...classes: string[]): Closed => ({
  classes: new Map(classes.map((each) => [each, 'rule'])),
  ...{ predicates: nothing, labels: nothing, types: nothing, properties: nothing },
});
const aborts: AbortController[] = [];
afterEach(() => {
  for (const each of aborts.splice(0)) each.abort();
});

/** Followers of queries that answer what the policy closes, and wait where a test says so. */
function world() {
  const state = {
    closed: closing('A'),
    refused: '',
    name: undefined as string | undefined,
    gate: Promise.resolve(),
    runs: 0,
  };
  const listeners = new Set<Listener>();
  let sequence = 1;
  const feed = {
    listen: async (_tenant: string, _filter: unknown, listener: Listener) => {
      listeners.add(listener);
      return { position: sequence, told: () => sequence, stop: () => void listeners.delete(listener) };
    },
  };
  const schema = buildSchema('type Query { a: ID }');
  const follow = queryFollower({
    feed: feed as unknown as ChangeFeed,
    operations: new Operations(schema, { introspection: false, maxDepth: 10 }),
    query: async () => {
      const names = [...state.closed.classes.keys()];
      state.runs += 1;
      if (names.includes(state.refused)) throw refuse('closed-class', `${state.refused} is closed`);
      await state.gate;
      return { data: { closed: names, name: state.name }, queryMetadata: { revision: 1 } } as unknown as QueryResult;
    },
    classesRead: () => undefined,
    classesOf: () => async () => new Map(),
    closedTo: () => state.closed,
    slots: new Slots({ what: 'live-queries', perAgent: 10, inAll: 10 }),
    intervalMs: 1,
  });
  const begin = async (more: Partial<LiveRequest> = {}) => {
    const controller = new AbortController();
    aborts.push(controller);
    const call = { principal: localPrincipal, signal: controller.signal };
    const batches = await follow({ query: '{ a }', bounds: {}, asPatch: false, ...more }, call);
    const next = async () => (await batches.next())?.[0];
    return { next, told: async () => (await next())?.result.data, stop: batches.stop };
  };
  const change = () => {
    sequence += 1;
    for (const listener of listeners) listener([loggedChange(sequence, 's')]);
  };
  const ran = async (count: number) => {
    while (state.runs < count) await new Promise(setImmediate);
  };
  return { state, begin, change, ran, listeners };
}

test('who joins gets no answer that was made while the policy closed less', async () => {
  const { state, begin, change } = world();
  const first = await begin();
  expect(await first.told()).toEqual({ closed: ['A'] });
  state.closed = closing();
  change();
  expect(await first.told()).toEqual({ closed: [] });
  state.closed = closing('A');
  expect(await (await begin()).told()).toEqual({ closed: ['A'] });
});

test('an answer that was made before the policy closed more is not sent after', async () => {
  const { state, begin, change, ran } = world();
  state.closed = closing();
  const slow = await begin();
  await slow.told();
  state.name = 'Mu';
  change();
  await ran(2);
  await new Promise(setImmediate);
  state.closed = closing('A');
  expect(await slow.told()).toEqual({ closed: ['A'], name: 'Mu' });
});

test('nor is one of a run that the policy changed under', async () => {
  const { state, begin, change, ran } = world();
  state.closed = closing();
  const follower = await begin();
  await follower.told();
  let go = () => {};
  state.gate = new Promise((resolve) => {
    go = resolve;
  });
  change();
  await ran(2);
  state.closed = closing('A');
  go();
  expect(await follower.told()).toEqual({ closed: ['A'] });
});

test('nor a first one, and who is closed out of the query is refused', async () => {
  const { state, begin, ran } = world();
  state.closed = closing();
  let go = () => {};
  state.gate = new Promise((resolve) => {
    go = resolve;
  });
  const begun = begin();
  await ran(1);
  state.closed = closing('A');
  go();
  const follower = await begun;
  expect(await follower.told()).toEqual({ closed: ['A'] });
  state.refused = 'B';
  state.closed = closing('A', 'B');
  await expect(follower.next()).rejects.toMatchObject({ data: { reason: 'closed-class' } });
});

test('who has left while it moved to the query under the new policy follows nothing', async () => {
  const { state, begin, listeners, ran } = world();
  const follower = await begin();
  await follower.told();
  state.closed = closing('B');
  state.gate = new Promise(() => {});
  const waiting = follower.next();
  await ran(2);
  aborts[0]?.abort();
  await new Promise(setImmediate);
  expect(listeners.size).toBe(0);
  await Promise.race([waiting, new Promise(setImmediate)]);
});

test('those who get the same answer get the same event', async () => {
  const { begin } = world();
  const [one, other] = [await begin(), await begin()];
  expect(await one.next()).toBe(await other.next());
});

test('variables that are too long to be kept are refused', async () => {
  const { begin } = world();
  const variables = { unused: 'x'.repeat(100_000) };
  await expect(begin({ variables })).rejects.toMatchObject({ code: -32012, data: { reason: 'validation' } });
});
