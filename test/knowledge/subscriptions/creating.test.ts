import { expect, test } from '@jest/globals';
import { subscriptionsMethod } from '../../../src/knowledge/subscriptions/subscriptions.ts';
import { localPrincipal } from '../../../src/security/principal.ts';

/** The method, with a store of its own that takes a while, and receivers that are found unless they are called slow. */
function method({ perAgent = 10 } = {}) {
  let count = 0;
  const store = {
    counts: async () => ({ own: count, all: count }),
    create: async (subscription: object) => {
      await new Promise(setImmediate);
      count += 1;
      return { ...subscription, createdAt: '', failures: 0 };
    },
  };
  const parts = {
    store,
    follow: async () => ({ position: () => 0, start: 0 }),
    requireReceiver: ({ url }: { url: string }) =>
      url.includes('slow') ? new Promise<void>(() => {}) : Promise.resolve(),
    ...{ perAgent, inAll: 10, begun() {}, ended() {} },
  };
  const serve = subscriptionsMethod(parts as unknown as Parameters<typeof subscriptionsMethod>[0]);
  return (url: string) =>
    serve(
      { action: 'create', subscriptionQuery: 'subscription { statementChanged { op } }', receiver: { url } },
      { principal: localPrincipal, signal: new AbortController().signal },
    );
}

test('a receiver whose name nobody resolves keeps only its own agent waiting', async () => {
  const create = method();
  void create('https://slow.example');
  expect(await create('https://other.example')).toMatchObject({ state: 'active' });
});

test('of several that are created at once there are no more than an agent may have', async () => {
  const create = method({ perAgent: 2 });
  const all = await Promise.allSettled([1, 2, 3, 4].map(() => create('https://one.example')));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
});
