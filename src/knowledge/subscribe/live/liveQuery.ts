import { setTimeout as sleep } from 'node:timers/promises';
import { deferred } from '../../../base/deferred.ts';
import { ConcordError } from '../../../base/errors.ts';
import type { ChangeFeed } from '../../../changes/feed.ts';
import { compileFilter } from '../../../changes/filter.ts';
import { idsOf } from '../../../graph/statements/statement.ts';
import type { Classes } from '../../../graph/statements/statementReader.ts';
import type { LoggedChange } from '../../../graph/updates/changeLog.ts';
import { untraced } from '../../../telemetry/tracing.ts';
import type { ClassesRead } from './classesRead.ts';

/** What a live query answers at a time. */
export interface Answer {
  /** Every change up to this one is in it; later ones may be. */
  sequence: number;
  revision: number;
  /** `data`, as JSON. */
  text: string;
}

/** The classes of the entities of a change; to be asked in sequence. */
export type ClassesOfChange = (change: LoggedChange) => Promise<Classes>;

export interface LiveQueryParts {
  feed: Pick<ChangeFeed, 'listen'>;
  tenant: string;
  /** In a `where` or a selection of the query. */
  classes: ClassesRead;
  classesOf: ClassesOfChange;
  /** Runs the query. */
  run(signal: AbortSignal): Promise<Omit<Answer, 'sequence'>>;
  /** Between the end of a run and the next, at least. */
  intervalMs: number;
}

/** As many changes are looked at one by one; more touch it anyway. */
const mostPending = 1_000;
const longestPauseMs = 30_000;
/** Runs in a row that take too long, of a query that was answered in time before: Neo4j may be busy. */
const mostTimeouts = 3;
const everything = compileFilter(undefined);

/**
 * One query that is run again when a change may have touched what it read, for all who follow it: at most one run at a
 * time. It costs nothing while nothing changes.
 */
export class LiveQuery {
  /** The newest; undefined until it was run. */
  answer: Answer | undefined;
  /** Why it has ended. */
  failure: unknown;
  private readonly followers = new Set<() => void>();
  private readonly closing = new AbortController();
  private pending: LoggedChange[] = [];
  private isTouched = false;
  private position = 0;
  private wake = () => {};

  constructor(private readonly parts: LiveQueryParts) {}

  /** Settles when it has its first answer; rejects with what it fails by. */
  async start(): Promise<void> {
    const { feed, tenant } = this.parts;
    const { signal } = this.closing;
    const { position, stop } = await feed.listen(tenant, everything, (changes) => this.hear(changes));
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    this.position = position;
    try {
      this.take(position, await this.parts.run(signal));
    } catch (error) {
      this.failure = error;
      this.close();
      throw error;
    }
    untraced(() => this.keep()).catch((error: unknown) => this.fail(error));
  }

  /** @param notify told when there is another answer, or a failure */
  follow(notify: () => void): () => void {
    this.followers.add(notify);
    return () => this.followers.delete(notify);
  }

  get isFollowed(): boolean {
    return this.followers.size > 0;
  }

  close(): void {
    this.closing.abort(new Error('Nobody follows the query'));
    this.wake();
  }

  private hear(changes: readonly LoggedChange[]): void {
    this.position = changes.at(-1)?.sequence ?? this.position;
    this.isTouched ||= this.parts.classes === undefined || this.pending.length + changes.length > mostPending;
    if (this.isTouched) this.pending = [];
    else this.pending.push(...changes);
    this.wake();
  }

  private async keep(): Promise<void> {
    const { intervalMs } = this.parts;
    const { signal } = this.closing;
    for (let [pauseMs, timeouts] = [intervalMs, 0]; !signal.aborted; ) {
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
      while (!signal.aborted && !(await this.touched())) await this.woken();
      if (signal.aborted) return;
      // Only what comes from now on needs another run.
      this.isTouched = false;
      this.pending = [];
      const { position } = this;
      try {
        this.take(position, await this.parts.run(signal));
        [pauseMs, timeouts] = [intervalMs, 0];
      } catch (error) {
        timeouts = isTimeout(error) ? timeouts + 1 : 0;
        if (!isPassing(error) && (timeouts === 0 || timeouts > mostTimeouts)) throw error;
        this.isTouched = true;
        pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
      }
    }
  }

  private woken(): Promise<void> {
    const { promise, resolve } = deferred();
    this.wake = resolve;
    if (this.pending.length > 0 || this.isTouched) resolve();
    return promise;
  }

  /** Whether what has come may concern the query. */
  private async touched(): Promise<boolean> {
    while (!this.isTouched && this.pending.length > 0) {
      for (const change of this.pending.splice(0)) {
        if (this.isTouched || !(await this.concerns(change))) continue;
        this.isTouched = true;
      }
    }
    return this.isTouched;
  }

  private async concerns(change: LoggedChange): Promise<boolean> {
    const { classes, classesOf } = this.parts;
    const known = await classesOf(change).catch(() => undefined);
    // Where nobody can say, the query itself will.
    if (known === undefined) return true;
    return [change.statement, ...(change.previous ?? [])].some((statement) =>
      idsOf([statement]).some((id) => {
        const type = known.get(id)?.type;
        return type === undefined || (classes?.has(type) ?? true);
      }),
    );
  }

  private take(sequence: number, found: Omit<Answer, 'sequence'>): void {
    if (found.text === this.answer?.text) return;
    this.answer = { sequence, ...found };
    this.tell();
  }

  private fail(error: unknown): void {
    if (this.closing.signal.aborted) return;
    this.failure = error;
    this.close();
    this.tell();
  }

  private tell(): void {
    for (const notify of this.followers) notify();
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof ConcordError && error.data?.reason === 'timeout';
}

function isPassing(error: unknown): boolean {
  return error instanceof ConcordError && error.data?.retryable === true;
}
