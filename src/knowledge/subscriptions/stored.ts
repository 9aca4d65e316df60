import type { ReceiverConfig } from '../../push/headers.ts';
import type { Maker } from '../../security/lastingIdentity.ts';
import type * as Wire from '../../wire/types.ts';
import type { SubscriptionRequest } from '../subscribe/follow.ts';

/** What is asked for, as it is kept; the place where it began is not part of it. */
export type Wanted = Pick<Wire.ChangeSubscription, 'subscriptionQuery' | 'variables' | 'metadata'>;

/** A `ChangeSubscription` node. Points in time are ISO 8601. */
export interface StoredSubscription {
  tenant: string;
  id: string;
  /** The agent whose it is; empty for the local principal. */
  owner: string;
  /** The API key whose rights it has. */
  keyId?: string;
  wanted: Wanted;
  /** With its secrets, which nobody is shown. */
  receiver: ReceiverConfig;
  createdAt: string;
  /** The sequence number up to which nothing is owed any more. */
  cursor: number;
  /** Where it began, where its owner may know that. */
  start?: number;
  deliveredSequence?: number;
  deliveredAt?: string;
  /** Attempts in a row that have failed. */
  failures: number;
  failure?: string;
  failingSince?: string;
  /** Why it is served no longer. */
  pauseReason?: string;
  pausedAt?: string;
  oldest?: number;
}

/** Whose rights it has. */
export function makerOf({ tenant, owner, keyId }: StoredSubscription): Maker {
  return { tenant, ...(owner !== '' && { agentId: owner }), ...(keyId !== undefined && { keyId }) };
}

/** How its changes are followed. */
export function requestOf({ wanted, cursor }: StoredSubscription): SubscriptionRequest {
  const { subscriptionQuery: subscription, variables, metadata: bounds } = wanted;
  return { subscription, after: cursor, ...(variables && { variables }), ...(bounds && { bounds }) };
}

/** What its owner is told of it: all but the secrets for the receiver. */
export function shown(stored: StoredSubscription): Wire.ChangeSubscription {
  const { id, wanted, receiver, createdAt, start, deliveredSequence, deliveredAt, failures, oldest } = stored;
  const { failure, failingSince, pauseReason, pausedAt } = stored;
  const cursor = deliveredSequence ?? start;
  return {
    id,
    state: pauseReason === undefined ? 'active' : 'paused',
    ...wanted,
    receiver: { url: receiver.url },
    createdAt,
    ...(cursor !== undefined && { cursor }),
    ...(deliveredAt !== undefined && { deliveredAt }),
    ...(failure !== undefined &&
      failingSince !== undefined && { failure: { reason: failure, attempts: failures, since: failingSince } }),
    ...(pauseReason !== undefined &&
      pausedAt !== undefined && {
        pause: { reason: pauseReason, at: pausedAt, ...(oldest !== undefined && { oldest }) },
      }),
  };
}
