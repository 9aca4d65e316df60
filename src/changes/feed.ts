import { setTimeout as sleep } from 'node:timers/promises';
import { Periodic } from '../base/periodic.ts';
import type { Database } from '../graph/database/database.ts';
import {
  type LedgerPlace,
  type LogEntry,
  readChanges,
  readLedgerPlace,
  readPlace,
  readSequences,
  readSequencesSince,
} from '../graph/updates/changeLog.ts';
import { untraced } from '../telemetry/tracing.ts';
import { Audience, type Listener } from './audience.ts';
import type { ChangeFilter } from './filter.ts';
import { seek } from './seek.ts';
import { tooOld } from './tooOld.ts';
import { inTurns } from './turns.ts';

interface Tail {
  /** Sequence number of the last change given to the listeners. */
  position: number;
  audience: Audience;
}

/** What a listener has of the feed. */
export interface Listening {
  /** The sequence number after which it gets what its filter asks for. */
  readonly position: number;
  /** The sequence number up to which it was told all of it. */
  told(): number;
  /** Takes it off again. */
  stop(): void;
}

const page = 500;
const readTimeoutMs = 10_000;
/** For each who was told something. */
const restMs = 0.01;
const longestRestMs = 250;
/** So many ledgers are asked one by one; of more, those that have changed of late, and now and then all. */
const fewTenants = 100;
/** Clocks differ by a minute at most, and a commit takes a moment. */
const lateMs = 70_000;
const allEveryMs = 5_000;
/** Without a change for so long it is idle. */
const idleAfterMs = 30_000;

export interface FeedOptions {
  /** Between two polls while there are changes. */
  pollMs: number;
  /** And while there are none. */
  idlePollMs: number;
  onError(error: unknown): void;
}

/**
 * The live end of the change log. One cheap query a poll asks the ledgers of the tenants that have listeners; what is
 * new is read and handed on in sequence. A commit of this replica wakes it at once; those of others are seen with the
 * next poll. While nothing changes, polls come less often.
 *
 * After a change that thousands get it rests for a moment: they get what comes meanwhile by one write each, and others
 * get a turn.
 */
export class ChangeFeed {
  /** Those for whom much waits. */
  readonly behind = new Set<object>();
  private readonly polling: Periodic;
  private readonly tails = new Map<string, Tail>();
  private readonly closing = new AbortController();
  // By a clock that doesn't jump.
  private lastSuccess = performance.now();
  private lastChange = performance.now();
  private lastPoll = Number.NEGATIVE_INFINITY;
  private lastLookAtAll = Number.NEGATIVE_INFINITY;
  private isWoken = false;
  private hadFaults = false;

  constructor(
    private readonly database: Database,
    private readonly options: FeedOptions,
  ) {
    const { pollMs: everyMs, onError } = options;
    // A commit wakes the feed from inside its request's trace, which the poll isn't part of.
    const work = async () => {
      if (this.isDue()) await untraced(() => this.poll());
    };
    this.polling = new Periodic({ everyMs, work, onError });
  }

  start(): void {
    this.polling.start();
  }

  /** Looks for changes now. */
  wake(): void {
    this.isWoken = true;
    this.polling.wake();
  }

  /** Whether a poll is worth its while: not each that could be, once there was no change for long. */
  private isDue(): boolean {
    const now = performance.now();
    if (this.isWoken || now - this.lastChange < idleAfterMs) return true;
    return now - this.lastPoll >= this.options.idlePollMs;
  }

  /** Seconds since the feed last knew where the ledgers stand: its health. */
  lagSeconds(): number {
    return (performance.now() - this.lastSuccess) / 1_000;
  }

  /** The tenant's last sequence number. */
  async head(tenant: string): Promise<number> {
    return (await this.sequences([tenant])).get(tenant) ?? 0;
  }

  /** Where the tenant's graph stands. */
  place(tenant: string): Promise<LedgerPlace> {
    return this.database.read((tx) => readLedgerPlace(tx, tenant), readTimeoutMs);
  }

  /**
   * The sequence number after which the changes of a time and later are.
   * @param since milliseconds since 1970
   * @throws ConcordError -32012 `cursor-too-old` where the log has lost some of them
   */
  async after(tenant: string, since: number): Promise<number> {
    const placeAfter = (sequence: number) => this.database.read((tx) => readPlace(tx, tenant, sequence), readTimeoutMs);
    const { after, isWhole, oldest } = await seek({ placeAfter, head: await this.head(tenant) }, since);
    if (!isWhole) throw tooOld(new Date(since).toISOString(), oldest);
    return after;
  }

  /** Changes from the log. */
  async read(tenant: string, after: number, limit = page): Promise<LogEntry[]> {
    return this.database.read((tx) => readChanges(tx, tenant, after, limit), readTimeoutMs);
  }

  /**
   * Adds a listener to the tenant's tail. It gets what its filter asks for, in sequence, none missing and none twice.
   */
  async listen(tenant: string, filter: ChangeFilter, listener: Listener): Promise<Listening> {
    let tail = this.tails.get(tenant);
    if (!tail) {
      const position = await this.head(tenant);
      // Another subscriber of the tenant may have begun meanwhile.
      tail = this.tails.get(tenant) ?? { position, audience: new Audience() };
      this.tails.set(tenant, tail);
    }
    const listened = tail;
    const { audience, position } = listened;
    const leave = audience.add(filter, listener);
    const stop = () => {
      leave();
      if (audience.isEmpty && this.tails.get(tenant)?.audience === audience) this.tails.delete(tenant);
    };
    return { position, told: () => listened.position, stop };
  }

  close(): Promise<void> {
    this.closing.abort();
    return this.polling.close();
  }

  /** Where the ledgers stand that may have changed; a log with a fault is asked for until it is whole. */
  private positions(): Promise<Map<string, number>> {
    const tenants = [...this.tails.keys()];
    const now = performance.now();
    if (tenants.length > fewTenants && !this.hadFaults && now - this.lastLookAtAll < allEveryMs)
      return this.sequencesSince(Date.now() - lateMs);
    this.lastLookAtAll = now;
    return this.sequences(tenants);
  }

  /** Those that say that they have changed since a time. */
  protected sequencesSince(since: number): Promise<Map<string, number>> {
    return this.database.read((tx) => readSequencesSince(tx, since), readTimeoutMs);
  }

  /** Where the ledgers of these tenants stand. */
  protected sequences(tenants: string[]): Promise<Map<string, number>> {
    return this.database.read((tx) => readSequences(tx, tenants), readTimeoutMs);
  }

  private async poll(): Promise<void> {
    this.isWoken = false;
    this.lastPoll = performance.now();
    let [faults, told] = [0, 0];
    // The fault of one tenant's log doesn't keep the others waiting.
    const fail = (error: unknown) => {
      faults += 1;
      this.options.onError(error);
      return 0;
    };
    try {
      for (const [tenant, sequence] of await this.positions()) {
        const tail = this.tails.get(tenant);
        if (tail) told += await this.advance(tenant, tail, sequence).catch(fail);
      }
      if (faults === 0) this.lastSuccess = performance.now();
    } catch (error) {
      fail(error);
    }
    this.hadFaults = faults > 0;
    const ms = Math.min(longestRestMs, told * restMs);
    if (ms >= 1) await this.rest(ms);
  }

  /** Not longer than it is open. */
  protected async rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.closing.signal }).catch(() => {});
  }

  /** @returns how many were told something */
  private async advance(tenant: string, tail: Tail, to: number): Promise<number> {
    let told = 0;
    while (tail.position < to && !tail.audience.isEmpty) {
      const changes = await this.read(tenant, tail.position);
      const last = changes.at(-1);
      // Sequences are gapless, so a hole, or an end before the ledger's, means that someone has tampered with the log:
      // better no feed than one that misses silently.
      if (last?.sequence !== tail.position + changes.length) {
        throw new Error(`The change log of a tenant has a gap after ${tail.position}`);
      }
      this.lastChange = performance.now();
      // Filters of many conditions take long.
      await inTurns(changes, (part) => {
        tail.position = part.at(-1)?.sequence ?? tail.position;
        told += tail.audience.tell(part);
      });
    }
    return told;
  }
}
