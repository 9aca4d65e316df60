import type { Notification } from './headers.ts';

/** What became of an attempt. */
export type Attempt = { kind: 'delivered' } | { kind: 'failed'; reason: string; passing: boolean };

/** What became of a notification; `paused` and `overflow` were not tried. */
export type DeliveryOutcome = 'sent' | 'failed' | 'paused' | 'overflow';

export interface Patience {
  /** Attempts at a notification, the first one included. */
  attempts: number;
  /** Milliseconds before the second attempt; they double with each further one. */
  baseMs: number;
  /** Notifications that fail in a row before the receiver is paused. */
  failures: number;
  /** Milliseconds of a pause. */
  pauseMs: number;
  /** Notifications that may wait. */
  maxWaiting: number;
}

interface QueuedNotification {
  notification: Notification;
  attempt(notification: Notification): Promise<Attempt>;
}

interface QueueParts {
  patience: Patience;
  /** Milliseconds since 1970. */
  now(): number;
  /** Waits; at a shutdown it returns at once. */
  pause(ms: number): Promise<void>;
  /** Aborted at a shutdown, when nothing is tried again. */
  closing: AbortSignal;
  settled(notification: Notification, outcome: DeliveryOutcome, reason?: string): void;
}

/**
 * The notifications of one receiver: one after another, in their order, each tried again while it fails for a passing
 * reason. A receiver that fails several in a row is paused: what comes meanwhile is dropped, and the first one after
 * that is the trial.
 */
export class ReceiverQueue {
  private readonly waiting: QueuedNotification[] = [];
  private failures = 0;
  private pausedUntil = Number.NEGATIVE_INFINITY;
  private working: Promise<void> | undefined;

  constructor(private readonly parts: QueueParts) {}

  /** Whether it can be forgotten: nothing waits, and it is not paused. */
  get isForgettable(): boolean {
    return this.working === undefined && this.parts.now() >= this.pausedUntil;
  }

  add(waiting: QueuedNotification): void {
    const { patience, settled } = this.parts;
    if (this.waiting.length >= patience.maxWaiting) {
      settled(waiting.notification, 'overflow');
      return;
    }
    this.waiting.push(waiting);
    this.working ??= this.work().finally(() => {
      this.working = undefined;
    });
  }

  async done(): Promise<void> {
    await this.working;
  }

  private async work(): Promise<void> {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      const { notification } = next;
      if (this.parts.now() < this.pausedUntil) {
        this.parts.settled(notification, 'paused');
        continue;
      }
      const last = await this.deliver(next);
      if (last.kind === 'delivered') {
        this.failures = 0;
        this.parts.settled(notification, 'sent');
      } else {
        this.failures += 1;
        const { failures, pauseMs } = this.parts.patience;
        if (this.failures >= failures) this.pausedUntil = this.parts.now() + pauseMs;
        this.parts.settled(notification, 'failed', last.reason);
      }
    }
  }

  private async deliver({ notification, attempt }: QueuedNotification): Promise<Attempt> {
    const { patience, pause, closing } = this.parts;
    // A receiver that has been paused gets one trial.
    const attempts = this.failures >= patience.failures ? 1 : patience.attempts;
    for (let made = 1; ; made++) {
      const outcome = await attempt(notification);
      if (outcome.kind === 'delivered' || !outcome.passing || made >= attempts || closing.aborted) return outcome;
      await pause(patience.baseMs * 2 ** (made - 1) * (0.5 + Math.random() / 2));
    }
  }
}
