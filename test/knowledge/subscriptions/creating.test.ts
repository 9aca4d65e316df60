import { expect, test } from '@jest/globals';
import { refuse } from '../../../src/base/reasons.ts';
import type { Call } from '../../../src/calls/call.ts';
import { subscriptionsMethod } from '../../../src/knowledge/subscriptions/subscriptions.ts';
import { localPrincipal, type Principal } from '../../../src/security/principal.ts';

/**
 * The method, with a store of its own that takes a while. A receiver that is called slow is never found, and one that is
 * called inside is refused.
 */
function method({ perAgent = 10, inAll = 10, followed = [] as AbortSignal[] } = {}) {
  let count = 0;
  let resumed = 0;
  const store = {
    counts: async () => ({ own: count, all: count }),
    find: async ({ id }: { id: string }) => ({
      ...{ id, wanted: { subscriptionQuery: 's' }, createdAt: '', failures: 0 },
      receiver: { url: `https://${id === inside ? 'inside' : 'outside'}.example` },
    }),
    resume: async (key: object) => {
      resumed += 1;
      return store.find(key as { id: string });
    },
    create: async (subscription: object) => {
      await new Promise(setImmediate);
      count += 1;
      return { ...subscription, createdAt: '', failures: 0 };
    },
  };
  const parts = {
    store,
    follow: async (_request: unknown, { signal }: Call) => {
      followed.push(signal);
      return { position: () => 0, start: 0 };
    },
    requireReceiver: async ({ url }: { url: string }) => {
      if (url.includes('slow')) await new Promise<void>(() => {});
      if (url.includes('inside')) throw refuse('refused-address', 'No');
    },
    ...{ perAgent, inAll, begun() {}, ended() {} },
  };
  const serve = subscriptionsMethod(parts as unknown as Parameters<typeof subscriptionsMethod>[0]);
  const call: Call = { principal: localPrincipal, signal: new AbortController().signal };
  const create = (url: string, more: object = {}) =>
    serve(
      { action: 'create', subscriptionQuery: 'subscription { statementChanged { op } }', receiver: { url }, ...more },
      call,
    );
  const resume = (id: string, principal: Principal = localPrincipal) =>
    serve({ action: 'resume', id }, { ...call, principal });
  return { create, resume, resumed: () => resumed };
}

const inside = '00000000-0000-4000-8000-000000000001';
const outside = '00000000-0000-4000-8000-000000000002';
const reasonOf = (answer: Promise<unknown>) => answer.catch((error) => error.data.reason);

test('a receiver whose name nobody resolves keeps only its own agent waiting', async () => {
  const { create } = method();
  void create('https://slow.example');
  expect(await create('https://other.example')).toMatchObject({ state: 'active' });
});

test('of several that are created at once there are no more than an agent may have', async () => {
  const { create } = method({ perAgent: 2 });
  const all = await Promise.allSettled([1, 2, 3, 4].map(() => create('https://one.example')));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
});

test('there are no more in all than there may be', async () => {
  const { create } = method({ inAll: 2 });
  await create('https://one.example');
  await create('https://one.example');
  expect(await reasonOf(create('https://one.example'))).toBe('webhooks-full');
});

test('the stream by which one is tried is closed', async () => {
  const followed: AbortSignal[] = [];
  await method({ followed }).create('https://one.example');
  expect(followed.map(({ aborted }) => aborted)).toEqual([true]);
});

test('what is kept of one is at most 200,000 characters', async () => {
  const { create } = method();
  const query = 'subscription { statementChanged { op } }';
  const around = JSON.stringify({ subscriptionQuery: query, variables: { v: '' } }).length;
  const withVariable = (length: number) => create('https://one.example', { variables: { v: 'x'.repeat(length) } });
  expect(await withVariable(200_000 - around)).toMatchObject({ state: 'active' });
  expect(await reasonOf(withVariable(200_001 - around))).toBe('invalid-params');
});

test('one is resumed by who has a lasting identity, and where its receiver may still be called', async () => {
  const { resume, resumed } = method();
  expect(await reasonOf(resume(inside))).toBe('refused-address');
  const passing: Principal = { ...localPrincipal, agentId: 'ann', expiresAt: Date.now() + 60_000 };
  expect(await reasonOf(resume(outside, passing))).toBe('no-lasting-identity');
  expect(resumed()).toBe(0);
  expect(await resume(outside)).toMatchObject({ id: outside });
  expect(resumed()).toBe(1);
});
