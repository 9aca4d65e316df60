import pLimit from 'p-limit';
import { closesWithin } from '../../base/endsWithin.ts';
import { KeyedLimits } from '../../base/keyedLimits.ts';
import { Periodic } from '../../base/periodic.ts';
import type { LeaseKey } from '../../graph/leases/leases.ts';
import { untraced } from '../../telemetry/tracing.ts';
import { Delivery, type DeliveryParts, type DeliveryTurns } from './delivery.ts';

export interface DeliveriesParts extends DeliveryParts {
  /** How long a subscription is left alone whose replica doesn't renew its lease; it does three times as often. */
  leaseMs?: number;
}

/** Taken over at once. */
const takenAtOnce = 100;
/** Streams that are opened at a time: each reads the log. */
const mostOpening = 8;
/** Batches on their way at a time, of all subscriptions and of those of one agent, whose receivers may be slow. */
const mostSending = 64;
const mostSendingOfOne = 8;
/** How long a shutdown waits for what is on its way. */
const closeMs = 5_000;

/**
 * The subscriptions that this replica serves. One at a time serves each: it holds a lease, renewed for all together by
 * the only timer that there is. What loses its replica is taken over by another.
 */
export class Deliveries {
  private readonly leaseMs: number;
  private readonly running = new Map<string, Delivery>();
  private readonly looking: Periodic;
  private readonly turns = new Turns();

  constructor(private readonly parts: DeliveriesParts) {
    const { leaseMs = 15_000, onError } = parts;
    this.leaseMs = leaseMs;
    this.looking = new Periodic({ everyMs: leaseMs / 3, work: () => untraced(() => this.look()), onError });
  }

  start(): void {
    this.looking.wake();
    this.looking.start();
  }

  /** Looks for what is to be served, now. */
  wake(): void {
    this.looking.wake();
  }

  /** Serves one no longer; other replicas hear of it before they send anything. */
  stop(key: LeaseKey): void {
    this.running.get(textOf(key))?.stop();
  }

  async close(): Promise<void> {
    await this.looking.close();
    const all = [...this.running.values()];
    for (const each of all) each.stop();
    const done = Promise.all(all.map((each) => each.done));
    await closesWithin(done, closeMs, () => {
      for (const each of all) each.cut();
    });
    const keys = all.map(({ key }) => key);
    if (keys.length > 0) await this.parts.store.release(keys).catch(this.parts.onError);
  }

  private async look(): Promise<void> {
    const { store } = this.parts;
    const served = [...this.running.values()].filter(({ isStopped }) => !isStopped);
    if (served.length > 0) {
      const places = served.map(({ key, position }) => ({ ...key, ...(position !== undefined && { position }) }));
      const held = new Set((await store.renew(places, this.leaseMs)).map(textOf));
      for (const each of served) if (!held.has(textOf(each.key))) each.stop();
    }
    for (let found = takenAtOnce; found === takenAtOnce && !this.looking.isClosed; ) {
      const taken = await store.takeOver(takenAtOnce, this.leaseMs);
      for (const key of taken) this.begin(key);
      found = taken.length;
    }
  }

  private begin(key: LeaseKey): void {
    if (this.looking.isClosed) return;
    const before = this.running.get(textOf(key));
    if (before) {
      // It was paused and resumed, and is still about its last batch.
      if (before.isStopped) void before.done.then(() => this.begin(key));
      return;
    }
    const delivery = new Delivery(key, this.parts, this.turns);
    this.running.set(textOf(key), delivery);
    void delivery.done.then(() => this.running.delete(textOf(key)));
  }
}

class Turns implements DeliveryTurns {
  readonly opening = pLimit(mostOpening);
  private readonly all = pLimit(mostSending);
  private readonly owners = new KeyedLimits(mostSendingOfOne);

  sending<T>(owner: string, work: () => Promise<T>): Promise<T> {
    return this.owners.run(owner, () => this.all(work));
  }
}

const textOf = ({ tenant, id }: LeaseKey) => JSON.stringify([tenant, id]);
