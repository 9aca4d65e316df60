import { afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  add,
  type ConcordClient,
  connect,
  KnowledgeSubscriptionError,
  type Subscription,
} from '../../src/client/index.ts';
import { testDatabase } from '../support/service.ts';
import { useService } from '../support/setUp.ts';
import { following } from './following.ts';

const all = 'subscription { statementChanged { op } }';
const numbered = (n: number) => add(`urn:s${n}`, 'urn:p', n);

let client: ConcordClient;
const open: Subscription[] = [];
const service = useService({ SUBSCRIBER_BUFFER: '5' });
beforeAll(async () => {
  client = await connect(service.url, { agentId: 'scout', retry: { attempts: 3, baseMs: 5, maxMs: 20 } });
}, 90_000);
afterEach(async () => {
  for (const each of open.splice(0)) await each.return();
});

const subscribe = (...args: Parameters<ConcordClient['subscribe']>) => {
  const subscription = client.subscribe(...args);
  open.push(subscription);
  return subscription;
};

test('a subscriber gets each change that matches, with who made it and why', async () => {
  const subscription = subscribe(
    'subscription ($s: String!) { statementChanged(where: { subject: { eq: $s } }) { op } }',
    { s: 'urn:s2' },
  );
  await subscription.ready();
  await client.update({
    mutations: [numbered(1), numbered(2)],
    justification: 'Counted',
  });
  const { value } = await subscription.next();
  expect(value).toMatchObject({
    op: 'add',
    statement: { subject: { id: 'urn:s2' }, predicate: { id: 'urn:p' }, object: { value: 2 } },
    changeMetadata: { sourceAgentId: 'scout', justification: 'Counted' },
  });
  expect(subscription.cursor).toBe(String(value?.changeMetadata.sequence));
});

test('a subscription that stands knows its cursor before the first event', async () => {
  const subscription = subscribe(all);
  expect(subscription.cursor).toBeUndefined();
  await subscription.ready();
  expect(subscription.cursor).toMatch(/^\d+$/);
  await client.update([numbered(10)]);
  const { value } = await subscription.next();
  expect(value?.changeMetadata.sequence).toBe(Number(subscription.cursor));
});

test('a subscriber goes on behind the cursor that it gives', async () => {
  const first = subscribe(all);
  await first.ready();
  const from = Number(first.cursor);
  for (const n of [20, 21, 22]) await client.update([numbered(n)]);
  const later = following(subscribe(all, {}, { after: from + 1 }));
  await later.count(2);
  expect(later.numbers()).toEqual([21, 22]);
});

test('a subscriber that is slower than the changes catches up from the log', async () => {
  const errors: unknown[] = [];
  const subscription = subscribe(
    all,
    {},
    {
      onState: (state) => state.phase === 'waiting' && errors.push((state.error as Error & { reason: string }).reason),
    },
  );
  await subscription.ready();
  const numbers = Array.from({ length: 30 }, (_, n) => 100 + n);
  await client.update(numbers.map(numbered));
  const { count, numbers: got } = following(subscription);
  await count(30);
  expect(got()).toEqual(numbers);
  expect(errors).toEqual(['slow-consumer']);
});

test('what a new connection would not mend is thrown', async () => {
  const thrown = (...args: Parameters<ConcordClient['subscribe']>) =>
    subscribe(...args)
      .next()
      .catch((error: unknown) => error);
  const invalid = await thrown('subscription { nothing }');
  expect(invalid).toBeInstanceOf(KnowledgeSubscriptionError);
  expect(invalid).toMatchObject({ code: -32012, reason: 'validation', retryable: false });
  expect(await thrown(all, {}, { after: 1_000_000 })).toMatchObject({ reason: 'cursor-ahead' });

  const database = testDatabase();
  await database.run('WRITE', 'MATCH (c:Change) WHERE c.sequence <= 3 DETACH DELETE c');
  await database.close();
  expect(await thrown(all, {}, { after: 1 })).toMatchObject({
    reason: 'cursor-too-old',
    data: { oldest: 4 },
  });
});

test('a signal ends the iteration, also while it waits', async () => {
  const controller = new AbortController();
  const states: string[] = [];
  const subscription = subscribe(
    all,
    {},
    {
      signal: controller.signal,
      onState: ({ phase }) => states.push(phase),
    },
  );
  const { ended, events } = following(subscription);
  await subscription.ready();
  controller.abort();
  await ended;
  expect(events).toEqual([]);
  expect(states).toEqual(['open', 'closed']);
  await expect(subscribe(all, {}, { signal: controller.signal }).ready()).rejects.toThrow(/abort/);
});

test('leaving the loop closes the connection, and return ends a wait', async () => {
  const subscription = subscribe(all);
  await subscription.ready();
  await client.update([numbered(200)]);
  for await (const event of subscription) {
    expect(event.statement.subject.id).toBe('urn:s200');
    break;
  }
  expect(await subscription.next()).toEqual({ done: true, value: undefined });

  const waiting = subscribe(all);
  const next = waiting.next();
  await waiting.ready();
  await waiting.return();
  expect(await next).toEqual({ done: true, value: undefined });
});

test('a live query gives its answer, and again what it has become', async () => {
  const id = 'urn:test:live';
  const live = client.live<{ entities: { statements: { object: { value: number } }[] }[] }>(
    'query($id: ID!) { entities(where: {id: {eq: $id}}) { statements { object { value } } } }',
    { id },
  );
  expect((await live.next()).value).toMatchObject({ data: { entities: [] } });
  const { revision } = await client.update([add(id, 'urn:p', 1)]);
  const { value } = await live.next();
  expect(value).toMatchObject({ revision, data: { entities: [{ statements: [{ object: { value: 1 } }] }] } });
  expect(live.cursor).toBeUndefined();
  await live.return();
});
