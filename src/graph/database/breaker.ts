import { setTimeout as sleep } from 'node:timers/promises';
import { deferred } from '../../base/deferred.ts';
import { isLost, neo4jAway } from './away.ts';

/** Asks Neo4j something trivial. It settles when Neo4j has answered, and rejects when it is away. */
export interface Probes {
  /** Over a connection that was there before. */
  pooled(): Promise<void>;
  /** Over a connection of its own. */
  fresh(): Promise<void>;
}

/** One piece of work that waits for Neo4j. */
export interface Attempt {
  /**
   * Begins it, or begins it anew: its time counts from now.
   * @throws Error where nobody waits for it any more, so that it does nothing further
   */
  begin(): void;
  /** @throws Error where nobody waits for it any more */
  goOn(): void;
}

interface Waiting extends Attempt {
  since: number;
  until: number;
  giveUp(error: Error): void;
}

/** What waits longer is a reason to ask Neo4j whether it is there. */
const slowMs = 1_000;
const lookMs = 250;
/** Looks for which a probe may go unanswered, which are five seconds or more: a loop that stands still hears nothing. */
const usualPatience = 20;
/** Looks at most, once many in a row were not answered: each leaves a connection behind until Neo4j goes on. */
const mostPatience = 60;
const firstPauseMs = 100;
const longestPauseMs = 1_000;

/**
 * Keeps calls from a Neo4j that is away or frozen: they fail at once, and so does what waits for it already. It opens
 * only where a trivial probe fails or isn't answered, whatever else fails or is slow; while it is open it goes on
 * probing, and closes with the first answer.
 *
 * The libraries for this (cockatiel, opossum) count the failures of calls and take one of them for the next probe. A
 * caller's slow query would count, and an update would be what finds out.
 */
export class Breaker {
  private readonly waiting = new Set<Waiting>();
  private readonly ended = new AbortController();
  private open = false;
  private isProbing = false;
  private probedAt = Number.NEGATIVE_INFINITY;
  private watch: NodeJS.Timeout | undefined;

  /**
   * @param changed told when it opens and when it closes again
   * @param patience looks for which a probe may go unanswered
   */
  constructor(
    private readonly probes: Probes,
    private readonly changed: (isOpen: boolean) => void,
    private readonly patience = usualPatience,
  ) {}

  get isOpen(): boolean {
    return this.open;
  }

  /** @throws Neo4jError ServiceUnavailable while it is open */
  requireClosed(): void {
    if (this.open) throw neo4jAway('Neo4j does not answer; it is asked again every second');
  }

  /**
   * Waits for work that asks Neo4j, until it has answered or the breaker opens.
   * @param limitMs at most so long, counted from where it last began
   * @throws Neo4jError ServiceUnavailable at once while the breaker is open, and in the middle when it opens or the time is over
   */
  async guard<T>(work: (attempt: Attempt) => Promise<T>, limitMs = Number.POSITIVE_INFINITY): Promise<T> {
    this.requireClosed();
    const { promise: givenUp, reject: giveUp } = deferred<never>();
    const goOn = () => {
      if (!this.waiting.has(entry)) throw new Error('Nobody waits for this any more');
    };
    const begin = () => {
      goOn();
      entry.until = performance.now() + limitMs;
    };
    const since = performance.now();
    const entry: Waiting = { since, until: since + limitMs, begin, goOn, giveUp };
    this.waiting.add(entry);
    this.watch ??= setInterval(() => this.look(), lookMs).unref();
    try {
      return await Promise.race([givenUp, work(entry)]);
    } catch (error) {
      this.heard(error);
      throw error;
    } finally {
      this.waiting.delete(entry);
    }
  }

  /** Told of an error of Neo4j's, that one too after which the work is tried again. */
  heard(error: unknown): void {
    if (isLost(error)) void this.probe();
  }

  /** Leaves what waits as it is, and stops probing. */
  close(): void {
    this.ended.abort();
    clearInterval(this.watch);
  }

  private look(): void {
    const now = performance.now();
    for (const entry of this.waiting) {
      if (entry.until > now) continue;
      this.waiting.delete(entry);
      entry.giveUp(neo4jAway('Neo4j has not answered in time'));
    }
    const [oldest] = this.waiting;
    if (oldest === undefined) {
      clearInterval(this.watch);
      this.watch = undefined;
    } else if (now - oldest.since > slowMs && now - this.probedAt > slowMs) void this.probe();
  }

  /** Finds out whether Neo4j is there; where it isn't, opens until it is. Only one at a time. */
  private async probe(): Promise<void> {
    if (this.isProbing || this.ended.signal.aborted) return;
    this.isProbing = true;
    const { pooled, fresh } = this.probes;
    try {
      const first = Promise.any([pooled(), fresh()]);
      if (await this.answered(first, this.patience)) return;
      this.set(true);
      await this.waitForAnswer(first, fresh);
    } finally {
      this.set(false);
      this.probedAt = performance.now();
      this.isProbing = false;
    }
  }

  /** Probes until one is answered, be it one that was given up before, as the first. */
  private async waitForAnswer(first: Promise<void>, probe: Probes['fresh']): Promise<void> {
    const { signal } = this.ended;
    const { promise: back, resolve } = deferred();
    first.then(resolve, () => {});
    for (let failures = 1; !signal.aborted; failures++) {
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
      await Promise.race([back, sleep(pauseMs, undefined, { ref: false, signal }).catch(() => {})]);
      const own = probe();
      own.then(resolve, () => {});
      const limit = Math.min(mostPatience, this.patience + 2 * failures);
      if (await this.answered(Promise.race([own, back]), limit)) return;
    }
  }

  /** @param looks how often it is looked whether the answer is there */
  private async answered(answer: Promise<unknown>, looks: number): Promise<boolean> {
    const known = answer.then(
      () => true,
      () => false,
    );
    for (let look = 0; look < looks && !this.ended.signal.aborted; look++) {
      const found = await Promise.race([known, sleep(lookMs, undefined, { ref: false })]);
      if (found !== undefined) return found;
    }
    return this.ended.signal.aborted;
  }

  private set(open: boolean): void {
    if (this.ended.signal.aborted || this.open === open) return;
    this.open = open;
    this.changed(open);
    if (!open) return;
    const given = [...this.waiting];
    this.waiting.clear();
    for (const { giveUp } of given) giveUp(neo4jAway('Neo4j does not answer any more'));
  }
}
