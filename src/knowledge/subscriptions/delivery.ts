import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LimitFunction } from 'p-limit';
import { ConcordError } from '../../base/errors.ts';
import type { LeaseKey } from '../../graph/leases/leases.ts';
import { closedText } from '../../graph/names/closed.ts';
import type { LoggedChange } from '../../graph/updates/changeLog.ts';
import type { Notification, ReceiverConfig } from '../../push/headers.ts';
import type { Attempt } from '../../push/receiverQueue.ts';
import type { Recall } from '../../security/lastingIdentity.ts';
import { type Principal, rightsText } from '../../security/principal.ts';
import type { Instruments } from '../../telemetry/instruments.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { untraced } from '../../telemetry/tracing.ts';
import type { ClosedTo } from '../conditions.ts';
import type { FollowChanges } from '../subscribe/follow.ts';
import { type BatchLimits, eventBatch, eventBatchType } from './eventBatch.ts';
import type { SubscriptionStore } from './store.ts';
import { makerOf, requestOf } from './stored.ts';

/** How long a receiver that fails is waited for. */
export interface DeliveryPatience {
  /** Failed attempts in a row after which the subscription is paused. */
  attempts: number;
  /** Milliseconds before the second attempt; they double with each further one. */
  baseMs: number;
  /** Milliseconds between attempts at most. */
  longestMs: number;
}

export interface DeliveryParts {
  store: SubscriptionStore;
  follow: FollowChanges;
  recall: Recall;
  closedTo: ClosedTo;
  /** Sends a notification once; doesn't throw. */
  attempt(receiver: ReceiverConfig, notification: Notification, signal: AbortSignal): Promise<Attempt>;
  limits: BatchLimits;
  patience: DeliveryPatience;
  instruments: Instruments;
  logger: Logger;
  /** Told of a fault that is neither the receiver's nor the subscription's. */
  onError(error: unknown): void;
}

/** Keep what many deliveries do at once within bounds. */
export interface DeliveryTurns {
  opening: LimitFunction;
  /** Of one owner. */
  sending<T>(owner: string, work: () => Promise<T>): Promise<T>;
}

/** What comes after a batch: the rest of the stream, the stream anew after a rest, or nothing. */
type Next = { kind: 'on' } | { kind: 'anew'; restMs: number } | { kind: 'ended' };

/** What no further attempt would mend. */
const final: ReadonlyMap<string, string> = new Map([
  ['HTTP 410', 'receiver-gone'],
  ...['invalid-url', 'refused-address', 'https-required', 'invalid-header'].map((each) => [each, each] as const),
]);

/** After a fault of Concord's or Neo4j's. */
const faultRestMs = 2_000;

/**
 * Serves one subscription for as long as it is this replica's: follows its changes from its cursor, as its maker sees
 * them now, and sends them batch by batch, the next when the one before was acknowledged and its cursor is kept. After
 * any failure it begins anew at the cursor, so that nothing is sent that its maker may see no longer.
 */
export class Delivery {
  /** Settles when it serves no longer. */
  readonly done: Promise<void>;
  private readonly stopping = new AbortController();
  private readonly cutting = new AbortController();
  private positionOf: (() => number) | undefined;

  constructor(
    readonly key: LeaseKey,
    private readonly parts: DeliveryParts,
    private readonly turns: DeliveryTurns,
  ) {
    setMaxListeners(0, this.stopping.signal);
    this.done = untraced(() => this.run());
  }

  get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  /** The sequence number up to which nothing is owed; undefined while it isn't known. */
  get position(): number | undefined {
    return this.positionOf?.();
  }

  /** Begins nothing more; what is being sent may still arrive. */
  stop(): void {
    this.stopping.abort();
  }

  /** Gives up what is being sent, too. */
  cut(): void {
    this.stop();
    this.cutting.abort();
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      const next = await this.serve().catch((error) => this.failed(error));
      if (next.kind === 'ended') return;
      if (next.kind === 'anew') await this.rest(next.restMs);
    }
  }

  private async serve(): Promise<Next> {
    const { store, follow, recall } = this.parts;
    const subscription = await store.serving(this.key);
    if (!subscription) return { kind: 'ended' };
    const principal = await recall(makerOf(subscription));
    const open = new AbortController();
    const close = () => open.abort();
    this.stopping.signal.addEventListener('abort', close);
    if (this.isStopped) close();
    try {
      const call = { principal, signal: open.signal };
      const changes = await this.turns.opening(() => follow(requestOf(subscription), call));
      this.positionOf = () => changes.position();
      for (;;) {
        // Before they are looked at: the policy may change while they are.
        const seen = this.rightsOf(principal);
        const batch = await changes.next();
        if (!batch) return { kind: 'ended' };
        const next = await this.sendInTurn(batch, seen, principal);
        if (next.kind !== 'on') return next;
      }
    } finally {
      this.positionOf = undefined;
      this.stopping.signal.removeEventListener('abort', close);
      close();
    }
  }

  private sendInTurn(batch: readonly LoggedChange[], seen: string, principal: Principal): Promise<Next> {
    const { tenant } = this.key;
    const owner = JSON.stringify([tenant, principal.agentId ?? '']);
    return this.turns.sending(owner, () => this.send(batch, seen));
  }

  /** @param seen with which rights the changes were looked at: since then they may have changed */
  private async send(batch: readonly LoggedChange[], seen: string): Promise<Next> {
    const { store, recall, limits, instruments } = this.parts;
    const subscription = await store.serving(this.key);
    if (!subscription || this.isStopped) return { kind: 'ended' };
    if (this.rightsOf(await recall(makerOf(subscription))) !== seen) return { kind: 'anew', restMs: 0 };
    const { id } = subscription;
    const { body, events, last } = eventBatch(batch, id, limits);
    const notification = { id: randomUUID(), about: { subscriptionId: id }, contentType: eventBatchType, body };
    const result = await this.parts.attempt(subscription.receiver, notification, this.cutting.signal);
    if (result.kind === 'failed') return this.receiverFailed(result.reason);
    instruments.webhookDeliveries.add(1, { outcome: 'delivered' });
    instruments.webhookEvents.add(events);
    if (!(await store.delivered(this.key, last))) return { kind: 'ended' };
    return events === batch.length ? { kind: 'on' } : { kind: 'anew', restMs: 0 };
  }

  private async receiverFailed(reason: string): Promise<Next> {
    const { store, patience, instruments, logger } = this.parts;
    // Who is cut off by a shutdown is not at fault.
    if (this.cutting.signal.aborted) return { kind: 'ended' };
    instruments.webhookDeliveries.add(1, { outcome: 'failed' });
    const why = final.get(reason);
    const failures = await store.failed(this.key, reason);
    if (failures === undefined) return { kind: 'ended' };
    // Neither the URL, which may hold a secret in its path, nor what the receiver said.
    logger.warn({ subscriptionId: this.key.id, reason, failures }, 'changes were not delivered to their receiver');
    if (why !== undefined) return this.pause(why);
    if (failures >= patience.attempts) return this.pause('receiver-failing');
    const ms = Math.min(patience.longestMs, patience.baseMs * 2 ** Math.min(failures - 1, 30));
    return { kind: 'anew', restMs: ms * (0.5 + Math.random() / 2) };
  }

  /** What is told to a stream as an error that its caller must mend pauses the subscription. */
  private async failed(error: unknown): Promise<Next> {
    if (this.isStopped) return { kind: 'ended' };
    try {
      if (error instanceof ConcordError && error.data.retryable === false) {
        const { reason = 'error', oldest } = error.data;
        return await this.pause(reason, typeof oldest === 'number' ? oldest : undefined);
      }
    } catch (fault) {
      this.parts.onError(fault);
    }
    this.parts.onError(error);
    return { kind: 'anew', restMs: faultRestMs * (0.5 + Math.random() / 2) };
  }

  private async pause(reason: string, oldest?: number): Promise<Next> {
    const { store, instruments, logger } = this.parts;
    if (await store.giveUp(this.key, reason, oldest)) {
      instruments.webhookPauses.add(1, { reason });
      logger.warn({ subscriptionId: this.key.id, reason }, 'a subscription was paused');
    }
    return { kind: 'ended' };
  }

  /** All that decides what its maker is shown. */
  private rightsOf(principal: Principal): string {
    return rightsText(principal) + closedText(this.parts.closedTo(principal));
  }

  private async rest(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.stopping.signal }).catch(() => {});
  }
}
