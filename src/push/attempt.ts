import type { AllowedReceivers } from '../config/allowedReceivers.ts';
import { headersOf, type Notification, type ReceiverConfig, requireHeaders, type Signing } from './headers.ts';
import { post } from './post.ts';
import { type OnFault, ReceiverRefused, type Resolve, receiverAt, refusalOf } from './receiverAddress.ts';
import type { Attempt } from './receiverQueue.ts';

export interface AttemptParts {
  allowed: AllowedReceivers;
  /** Absent without a key; read for each notification, since the address is only known once the service listens. */
  signing(): Signing | undefined;
  /** Milliseconds for one attempt. */
  timeoutMs?: number;
  resolve?: Resolve;
  /** Told why an address is not kept. */
  onFault?: OnFault;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Statuses of an answer that say that the same request may succeed later, as every 5xx does. */
const passing = new Set([408, 425, 429]);

/**
 * Looks at a receiver before it is kept; its address is looked at again whenever something is sent.
 * @throws ConcordError -32602 with the reason
 */
export async function requireReceiver(
  config: ReceiverConfig,
  { allowed, resolve, onFault }: Pick<AttemptParts, 'allowed' | 'resolve' | 'onFault'>,
): Promise<void> {
  try {
    requireHeaders(config);
    await receiverAt(config.url, allowed, resolve);
  } catch (error) {
    if (!(error instanceof ReceiverRefused)) throw error;
    throw refusalOf(error, config.url, { what: 'receiver', onFault });
  }
}

/** Sends a notification once, to the address that its receiver has now. It does not throw. */
export async function attempt(
  { allowed, resolve, signing, timeoutMs = 10_000, now }: AttemptParts,
  config: ReceiverConfig,
  notification: Notification,
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    const receiver = await receiverAt(config.url, allowed, resolve);
    const headers = headersOf(config, notification, signing(), now());
    const status = await post(receiver, { headers, body: notification.body, timeoutMs, signal });
    if (status >= 200 && status < 300) return { kind: 'delivered' };
    return { kind: 'failed', reason: `HTTP ${status}`, passing: status >= 500 || passing.has(status) };
  } catch (error) {
    if (error instanceof ReceiverRefused) {
      return { kind: 'failed', reason: error.reason, passing: error.reason === 'unknown-host' };
    }
    const { code = 'failed' } = error as NodeJS.ErrnoException;
    return { kind: 'failed', reason: String(code), passing: !signal.aborted };
  }
}
