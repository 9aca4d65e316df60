import { Periodic } from '../../base/periodic.ts';
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
  private readonly hourly: Periodic;

  constructor(private readonly parts: SweepParts) {
    this.hourly = new Periodic({ everyMs, work: () => untraced(() => this.sweep()), onError: parts.onError });
  }

  /** Sweeps now, for a service may never live for an hour, and then every hour. */
  start(): void {
    this.hourly.wake();
    this.hourly.start();
  }

  /** Removes all that is due, or what it comes to before it is closed. */
  async sweep(): Promise<void> {
    const { database, step } = this.parts;
    for (let isMore = true; isMore && !this.hourly.isClosed; ) isMore = await database.write(step, timeoutMs);
  }

  close(): Promise<void> {
    return this.hourly.close();
  }
}
