import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { add, type ClientOptions, connect, type SubscriptionState } from '../../src/client/index.ts';
import { call, startServiceOnGraph } from '../support/service.ts';
import { useService } from '../support/setUp.ts';
import { eventually, following } from './following.ts';
import { type BreakableProxy, startProxy } from './proxy.ts';

const quick: ClientOptions = { agentId: 'scout', retry: { attempts: 100, baseMs: 5, maxMs: 50 } };
const patienceMs = 90_000;

let proxy: BreakableProxy;
/** Every test speaks of a graph of its own. */
let graph: string;
let tests = 0;
const closing: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  proxy = await startProxy();
});
const service = useService(() => ({ PUBLIC_URL: proxy.url, HEARTBEAT_MS: '100' }));
beforeEach(() => {
  graph = `urn:graph:${++tests}`;
  proxy.target = service.url;
  proxy.answers = 'pass';
  proxy.budget = () => Number.POSITIVE_INFINITY;
});
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});
afterAll(() => proxy.close(), patienceMs);

/** Makes a change of the subject `urn:s<n>`, past every proxy. */
async function change({ url }: { url: string }, n: number): Promise<void> {
  const statement = { subject: { id: `urn:s${n}` }, predicate: { id: 'urn:p' }, object: { value: n }, graph };
  const { result } = await call(url, 'knowledge/update', { mutations: [{ op: 'add', statement }] });
  expect(result.statementsAffected).toBe(1);
}

async function subscribed(url: string, options: { stallMs?: number } = {}) {
  const states: SubscriptionState[] = [];
  const client = await connect(url, quick);
  const subscription = client.subscribe(
    'subscription ($graph: String) { statementChanged(where: { graph: { eq: $graph } }) { op } }',
    { graph },
    { ...options, onState: (state) => states.push(state) },
  );
  closing.push({ close: () => subscription.return() });
  await subscription.ready();
  const phases = (phase: SubscriptionState['phase']) => states.filter((state) => state.phase === phase).length;
  return { ...following(subscription), phases };
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

test('what is committed while the connection is lost arrives, also before the first event', async () => {
  const { count, numbers, phases } = await subscribed(proxy.url);
  proxy.target = undefined;
  proxy.cut();
  await change(service, 1);
  await change(service, 2);
  await eventually(() => phases('waiting') > 2);
  proxy.target = service.url;
  await count(2);
  await change(service, 3);
  await count(3);
  expect(numbers()).toEqual([1, 2, 3]);
});

test(
  'a subscriber survives a restart of its service, without a gap or a double',
  async () => {
    const first = await startServiceOnGraph();
    const { port } = new URL(first.url);
    const { count, numbers, phases } = await subscribed(first.url);
    await change(first, 1);
    await count(1);
    await first.close();
    for (const n of upTo(19)) await change(service, n + 1);
    await eventually(() => phases('waiting') > 0);
    const again = await startServiceOnGraph({ PORT: port });
    closing.unshift(again);
    await count(20);
    await change(again, 21);
    await count(21);
    expect(numbers()).toEqual(upTo(21));
  },
  patienceMs,
);

test('connections that are cut anywhere lose nothing and bring nothing twice', async () => {
  const { count, numbers } = await subscribed(proxy.url);
  const cuts = proxy.cuts;
  let seed = 7;
  proxy.budget = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return 1 + (seed % 4_000);
  };
  proxy.cut();
  for (const n of upTo(80)) await change(service, n);
  await count(80);
  proxy.budget = () => Number.POSITIVE_INFINITY;
  await change(service, 81);
  await count(81);
  expect(numbers()).toEqual(upTo(81));
  expect(proxy.cuts).toBeGreaterThan(cuts + 20);
});

test('a connection that falls silent is given up, and a quiet one with heartbeats is not', async () => {
  const { count, numbers, phases } = await subscribed(proxy.url, { stallMs: 600 });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(phases('waiting')).toBe(0);
  proxy.answers = 'hold';
  await change(service, 1);
  await eventually(() => phases('waiting') > 0);
  proxy.answers = 'pass';
  await count(1);
  expect(numbers()).toEqual([1]);
});

test('an update whose answers are lost is applied once, and answered as the first time', async () => {
  const client = await connect(proxy.url, quick);
  const before = await client.update([add('urn:s0', 'urn:p', 'before', { graph })]);
  proxy.answers = 'cut';
  const enough = proxy.cuts + 3;
  const sent = client.update([add('urn:s1', 'urn:p', 'once', { graph })]);
  await eventually(() => proxy.cuts >= enough);
  proxy.answers = 'pass';
  const result = await sent;
  expect(result).toMatchObject({ success: true, statementsAffected: 1, verificationStatus: 'Verified' });
  expect(result.revision).toBe((before.revision ?? 0) + 1);
  const after = await client.update([add('urn:s2', 'urn:p', 'after', { graph })]);
  expect(after.revision).toBe((before.revision ?? 0) + 2);
});
