import { randomUUID } from 'node:crypto';
import { Deliveries } from '../knowledge/subscriptions/deliveries.ts';
import { SubscriptionStore } from '../knowledge/subscriptions/store.ts';
import { subscriptionsMethod } from '../knowledge/subscriptions/subscriptions.ts';
import { type AttemptParts, attempt, requireReceiver } from '../push/attempt.ts';
import { keySetUrl } from '../security/signingKey.ts';
import { sparing } from '../telemetry/logger.ts';
import type { Address } from './address.ts';
import type { Foundation } from './foundation.ts';
import { type Identity, recall } from './identity.ts';
import type { Reading } from './reading.ts';
import type { Storage } from './storage.ts';

/** Subscriptions that are kept, and the delivery of their changes. */
export type Subscriptions = ReturnType<typeof openSubscriptions>;

export function openSubscriptions(
  foundation: Foundation,
  identity: Identity,
  { database }: Storage,
  { followKept: follow, closedTo }: Reading,
  address: Address,
) {
  const { config, instruments, logger, closing } = foundation;
  const { signingKey } = identity;
  const store = new SubscriptionStore(database, randomUUID());
  const sending: AttemptParts = {
    allowed: config.PUSH_ALLOW,
    onFault: (host, fault) => logger.info({ host, fault }, 'the address of a receiver is refused'),
    signing: () => signingKey && { key: signingKey, issuer: address.url, jku: keySetUrl(address.url) },
    now: Date.now,
  };
  const deliveries = new Deliveries({
    ...{ store, follow, closedTo, instruments, logger },
    recall: recall(foundation, identity, database),
    attempt: (...one) => attempt(sending, ...one),
    limits: { events: config.WEBHOOK_BATCH_EVENTS, bytes: config.WEBHOOK_BATCH_BYTES },
    patience: { attempts: config.WEBHOOK_ATTEMPTS, baseMs: 500, longestMs: 300_000 },
    onError: sparing(logger, 'subscriptions with a receiver cannot be served'),
  });
  closing.add(deliveries);
  instruments.webhooks.addCallback(async (gauge) => {
    const states = await store.states().catch(() => undefined);
    for (const [state, count] of Object.entries(states ?? {})) gauge.observe(count, { state });
  });
  return {
    method: subscriptionsMethod({
      ...{ store, follow },
      requireReceiver: (receiver) => requireReceiver(receiver, sending),
      perAgent: config.WEBHOOKS_PER_AGENT,
      inAll: config.WEBHOOKS_IN_ALL,
      begun: () => deliveries.wake(),
      ended: (key) => deliveries.stop(key),
    }),
    /** Begins to deliver, once it is known where the service is reached: signatures name it. */
    start: () => deliveries.start(),
  };
}
