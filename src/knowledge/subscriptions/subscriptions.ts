import { randomUUID } from 'node:crypto';
import pLimit, { type LimitFunction } from 'p-limit';
import { z } from 'zod';
import { ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import type { Call, UnaryMethod } from '../../calls/call.ts';
import { faultOf } from '../../calls/faults.ts';
import { invalidParams, parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import type { LeaseKey } from '../../graph/leases/leases.ts';
import type { ReceiverConfig } from '../../push/headers.ts';
import { isLasting } from '../../security/lastingIdentity.ts';
import type { Principal } from '../../security/principal.ts';
import type * as Wire from '../../wire/types.ts';
import { optional, text } from '../patch.ts';
import type { FollowChanges, SubscriptionRequest } from '../subscribe/follow.ts';
import { subscriptionParams, subscriptionRequest } from '../subscribe/subscribe.ts';
import type { OwnedKey, SubscriptionStore } from './store.ts';
import { requestOf, type StoredSubscription, shown, type Wanted } from './stored.ts';

const id = z.uuid('is not the id of a subscription');
const receiver = z.strictObject({
  url: text(2_048),
  token: optional(text(4_096)),
  authentication: optional(z.strictObject({ scheme: text(100), credentials: text(8_192) })),
});
const params = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('create'), ...subscriptionParams, receiver }),
  z.strictObject({
    action: z.literal('list'),
    first: z.int().min(1).max(100).default(20),
    /** The last id of the page before. */
    after: optional(id),
  }),
  z.strictObject({ action: z.enum(['get', 'pause', 'resume', 'delete']), id }),
]);

/** Of what is asked for, as JSON: it is kept. */
const longestWanted = 200_000;

export interface SubscriptionsParts {
  store: SubscriptionStore;
  follow: FollowChanges;
  /** @throws ConcordError -32602 with the reason */
  requireReceiver(receiver: ReceiverConfig): Promise<void>;
  perAgent: number;
  inAll: number;
  /** Told of what is to be served from now on. */
  begun(): void;
  /** Told of what is served no longer. */
  ended(key: LeaseKey): void;
}

type Answer = Wire.ChangeSubscription | { subscriptions: Wire.ChangeSubscription[] } | { id: string; deleted: true };

/**
 * `knowledge/subscriptions`, beyond the specification: subscriptions that are kept, and whose changes are sent to a
 * receiver. An agent sees its own.
 * @throws ConcordError -32602, -32012, -32013
 */
export function subscriptionsMethod(parts: SubscriptionsParts): UnaryMethod<Answer> {
  // Counting and creating are two steps. What comes before them may take long, and is in nobody's way.
  const oneAtATime = pLimit(1);
  const method: UnaryMethod<Answer> = async (raw, call) => {
    requireScope(call, 'knowledge:subscribe', ErrorCode.KnowledgeSubscription);
    const request = parseParams(params, raw);
    const { tenant, agentId: owner = '' } = call.principal;
    try {
      if (request.action === 'create') return await create(parts, request, call, oneAtATime);
      if (request.action === 'list') return await list(parts, { tenant, owner }, request);
      return await onOne(parts, { tenant, owner, id: request.id }, request.action, call);
    } catch (error) {
      throw faultOf(error, ErrorCode.KnowledgeSubscription, 'try again later');
    }
  };
  return Object.assign(method, { params });
}

type CreateRequest = Extract<z.output<typeof params>, { action: 'create' }>;

async function create(
  parts: SubscriptionsParts,
  request: CreateRequest,
  call: Call,
  oneAtATime: LimitFunction,
): Promise<Wire.ChangeSubscription> {
  const { principal } = call;
  requireLasting(principal);
  const { tenant, agentId: owner = '', keyId } = principal;
  const wanted = wantedOf(request);
  await parts.requireReceiver(request.receiver);
  const place = await placeOf(parts, subscriptionRequest(request), call);
  const stored = await oneAtATime(async () => {
    await requireRoom(parts, { tenant, owner });
    return parts.store.create({
      ...{ tenant, owner, id: randomUUID(), wanted, receiver: request.receiver },
      ...(keyId !== undefined && { keyId }),
      ...place,
    });
  });
  parts.begun();
  return shown(stored);
}

async function list(
  { store }: SubscriptionsParts,
  owner: Omit<OwnedKey, 'id'>,
  { first, after }: { first: number; after?: string },
): Promise<Answer> {
  const last = after === undefined ? undefined : required(await store.find({ ...owner, id: after }), after);
  return { subscriptions: (await store.list(owner, first, last)).map(shown) };
}

async function onOne(
  parts: SubscriptionsParts,
  key: OwnedKey,
  action: 'get' | 'pause' | 'resume' | 'delete',
  call: Call,
): Promise<Answer> {
  const { store } = parts;
  if (action === 'get') return shown(required(await store.find(key), key.id));
  if (action === 'resume') return resume(parts, key, call);
  if (action === 'pause') {
    const paused = required(await store.pause(key), key.id);
    parts.ended(key);
    return shown(paused);
  }
  if (!(await store.remove(key))) throw unknown(key.id);
  parts.ended(key);
  return { id: key.id, deleted: true };
}

/** What would refuse it when it is created refuses it here, too. */
async function resume(parts: SubscriptionsParts, key: OwnedKey, call: Call): Promise<Wire.ChangeSubscription> {
  requireLasting(call.principal);
  const stored = required(await parts.store.find(key), key.id);
  await parts.requireReceiver(stored.receiver);
  await placeOf(parts, requestOf(stored), call);
  const resumed = required(await parts.store.resume(key, call.principal.keyId), key.id);
  parts.begun();
  return shown(resumed);
}

/** Where it begins. Opened as it will be to be served, it is refused for whatever would refuse it then. */
async function placeOf(
  { follow }: SubscriptionsParts,
  request: SubscriptionRequest,
  { principal }: Call,
): Promise<Pick<StoredSubscription, 'cursor' | 'start'>> {
  const open = new AbortController();
  try {
    const changes = await follow(request, { principal, signal: open.signal });
    return { cursor: changes.position(), ...(changes.start !== undefined && { start: changes.start }) };
  } finally {
    open.abort();
  }
}

function wantedOf({ subscriptionQuery, variables, metadata }: CreateRequest): Wanted {
  const { requiredCertainty, maxAgeSeconds } = metadata ?? {};
  const bounds = {
    ...(requiredCertainty !== undefined && { requiredCertainty }),
    ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
  };
  const wanted = {
    subscriptionQuery,
    ...(variables && { variables }),
    ...(Object.keys(bounds).length > 0 && { metadata: bounds }),
  };
  if (JSON.stringify(wanted).length <= longestWanted) return wanted;
  throw invalidParams([
    { path: ['variables'], message: `are longer than ${longestWanted} characters, with the query` },
  ]);
}

/** @throws ConcordError `no-lasting-identity` */
function requireLasting(principal: Principal): void {
  if (isLasting(principal)) return;
  throw refuse('no-lasting-identity', 'A subscription with a receiver needs an API key: a token expires');
}

async function requireRoom({ store, perAgent, inAll }: SubscriptionsParts, owner: Omit<OwnedKey, 'id'>): Promise<void> {
  const { own, all } = await store.counts(owner);
  if (own >= perAgent) throw full(`The agent has ${own} subscriptions with a receiver`, perAgent);
  if (all >= inAll) throw full(`There are ${all} subscriptions with a receiver`, inAll);
}

function full(found: string, limit: number) {
  return refuse('webhooks-full', `${found}, and the limit is ${limit}; delete one`, { limit });
}

function required<Found>(found: Found | undefined, id: string): Found {
  if (found === undefined) throw unknown(id);
  return found;
}

function unknown(id: string) {
  return refuse('unknown-subscription', `There is no subscription ${id}`);
}
