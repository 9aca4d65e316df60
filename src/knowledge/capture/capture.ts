import { Periodic } from '../../base/periodic.ts';
import { editsMade, isBeingLoaded, lastOfNext, tenantsWithEdits } from '../../graph/capture/editReader.ts';
import type { EditSource } from '../../graph/capture/editSource.ts';
import type { Database } from '../../graph/database/database.ts';
import { untraced } from '../../telemetry/tracing.ts';
import type { Violation } from '../../wire/types.ts';
import { NotAligned } from '../update/commit.ts';
import { type Taken, type TakingParts, takeEdits } from './takeEdits.ts';

export interface CaptureParts extends TakingParts {
  database: Database;
  /** What writes edits down; without it only those are taken that are written down. */
  source?: EditSource;
  /** Of one transaction. */
  timeoutMs: number;
  /** How often it is looked for edits. */
  pollMs: number;
  /** Told of each transaction that has taken edits. */
  onTaken(tenant: string, taken: Taken): void;
  onError(error: unknown): void;
}

/** Edits of one transaction. */
const batch = 2_000;
/** Tenants that are looked after at a time. */
const tenantsAtOnce = 100;
/** Rules are asked again when what they have found is held; more often than this nobody waits for them. */
const mostAttempts = 4;

/**
 * While edits come one after another, or somebody writes in many transactions, they aren't taken: who loads rows in many
 * transactions has locks of their entities when the trigger asks for the ledger's, taking edits goes the other way, and
 * Neo4j would let one of the two fail.
 */
const quietMs = 300;
/** Not for longer, however many come. */
const longestQuietMs = 30_000;

/** Edits of a tenant that are still coming. */
interface Coming {
  made: number;
  /** When there were fewer last, and when it began; milliseconds. */
  grownAt: number;
  since: number;
}

/**
 * Takes edits that somebody has made by hand in Neo4j as statements, in the order of their commits. Their source has
 * written them down in the graph; each is taken under its tenant's ledger and removed in the same transaction, so any
 * replica may do it at any time.
 */
export class Capture {
  private readonly polling: Periodic;
  private readonly running = new Map<string, Promise<void>>();
  private readonly coming = new Map<string, Coming>();

  constructor(private readonly parts: CaptureParts) {
    const { pollMs, onError } = parts;
    this.polling = new Periodic({ everyMs: pollMs, work: () => untraced(() => this.takeAll()), onError });
  }

  start(): void {
    this.polling.wake();
    this.polling.start();
  }

  async close(): Promise<void> {
    await this.polling.close();
    await Promise.allSettled(this.running.values());
  }

  /** Takes the edits that wait, of all tenants where no more are coming. */
  async takeAll(): Promise<void> {
    const { database, source, timeoutMs } = this.parts;
    await source?.writeDown();
    const tenants = await database.read((tx) => tenantsWithEdits(tx, tenantsAtOnce), timeoutMs);
    if (tenants.length === 0) return this.coming.clear();
    const made = await database.read((tx) => editsMade(tx, tenants), timeoutMs);
    const isLoading = await isBeingLoaded(database);
    const quiet = tenants.filter((tenant) => this.isQuiet(tenant, made.get(tenant) ?? 0, isLoading));
    await Promise.all(quiet.map((tenant) => this.take(tenant)));
  }

  private isQuiet(tenant: string, made: number, isLoading: boolean): boolean {
    const now = performance.now();
    const { made: before, grownAt, since } = this.coming.get(tenant) ?? { made: 0, grownAt: now, since: now };
    this.coming.set(tenant, { made, grownAt: made > before ? now : grownAt, since });
    const hasCeased = !isLoading && made === before && now - grownAt >= quietMs;
    const isQuiet = hasCeased || now - since >= longestQuietMs;
    if (isQuiet) this.coming.delete(tenant);
    return isQuiet;
  }

  /** Takes all edits of a tenant that wait; who asks while they are being taken waits for the same. */
  take(tenant: string): Promise<void> {
    const running = this.running.get(tenant) ?? this.takeTenant(tenant).finally(() => this.running.delete(tenant));
    this.running.set(tenant, running);
    return running;
  }

  private async takeTenant(tenant: string): Promise<void> {
    await this.parts.source?.writeDown();
    await this.parts.dictionary.reload();
    while (!this.polling.isClosed) {
      const last = await this.parts.database.read((tx) => lastOfNext(tx, tenant, batch), this.parts.timeoutMs);
      if (last === undefined) return;
      this.parts.onTaken(tenant, await this.takeBatch(tenant, last));
    }
  }

  /** What the rules don't let through is held for a review, and the rest is tried again without it. */
  private async takeBatch(tenant: string, last: number): Promise<Taken> {
    const { database, timeoutMs } = this.parts;
    const held = new Map<string, Violation[]>();
    for (let attempt = 1; ; attempt++) {
      const transactions: string[] = [];
      try {
        return await database.write((tx) => takeEdits(tx, { tenant, last, held }, this.parts, transactions), timeoutMs);
      } catch (error) {
        if (!(error instanceof NotAligned) || attempt > mostAttempts + transactions.length) throw error;
        for (const [index, violations] of error.violations) {
          const id = transactions[index] ?? '';
          // One whose rest violates rules as well is held as a whole.
          held.set(id, held.has(id) ? violations.map(({ subject: _, ...rest }) => rest) : violations);
        }
      }
    }
  }
}
