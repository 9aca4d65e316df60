import type { Database } from '../graph/database.ts';
import { releaseKeys } from '../graph/ledger.ts';
import { untraced } from '../telemetry/tracing.ts';

export interface KeySweepParts {
  /** As in CommitParts. */
  keysSince(): number;
  onError(error: unknown): void;
}

const everyMs = 3_600_000;
/** Of one transaction, so that no update waits long for one that is being swept. */
const batch = 1_000;
const timeoutMs = 30_000;

/** Lets go of idempotency keys that have had their time and that nobody has used again. DESIGN, "Patches". */
export class KeySweep {
  private readonly database: Database;
  private readonly parts: KeySweepParts;
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(database: Database, parts: KeySweepParts) {
    this.database = database;
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

  /** Lets go of all that is due, or what it comes to before it is closed. */
  async sweep(): Promise<void> {
    const keysSince = this.parts.keysSince();
    let released = batch;
    while (released === batch && !this.closed)
      released = await this.database.write((tx) => releaseKeys(tx, keysSince, batch), timeoutMs);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.sweeping;
  }
}
