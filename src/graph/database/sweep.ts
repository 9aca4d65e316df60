import { untraced } from '../../telemetry/tracing.ts';
import type { Database } from './database.ts';
import type { Queryable } from './queryable.ts';

interface SweepParts {
  database: Database;
  /** Removes some of what is due, in a transaction of its own. @returns whether more may be due */
  step(tx: Queryable): Promise<boolean>;
  onError(error: unknown): void;
}

const everyMs = 3_600_000;
const timeoutMs = 30_000;

/** Removes what has had its time, in small transactions, so that nobody waits long for one. */
export class Sweep {
  private readonly parts: SweepParts;
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(parts: SweepParts) {
    this.parts = parts;
  }

  /** Sweeps now, for a service may never live for an hour, and then every hour. */
  start(): void {
    const sweep = () => {
      // One that is still at it is not helped by another.
      this.sweeping = this.sweeping.then(() => untraced(() => this.sweep())).catch(this.parts.onError);
    };
    sweep();
    this.timer = setInterval(sweep, everyMs);
  }

  /** Removes all that is due, or what it comes to before it is closed. */
  async sweep(): Promise<void> {
    const { database, step } = this.parts;
    for (let isMore = true; isMore && !this.closed; ) isMore = await database.write(step, timeoutMs);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.sweeping;
  }
}
