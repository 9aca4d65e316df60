import { Batches } from '../base/batches.ts';
import type { ConcordError } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import { isErased, type LogEntry, type LoggedChange } from '../graph/updates/changeLog.ts';
import type { ChangeFeed } from './feed.ts';
import { type ChangeFilter, mayPass } from './filter.ts';
import { tooOld } from './tooOld.ts';

interface SubscriberOptions {
  tenant: string;
  filter: ChangeFilter;
  /** Sequence number to start after; absent means after the last change that there is now. */
  after?: number;
  /** Changes that it asks for and that may wait for a consumer that is slower than the feed. */
  buffer: number;
  signal: AbortSignal;
}

/** What a subscriber gets, in sequence. */
export interface Changes extends Batches<LoggedChange> {
  /** The sequence number that they start after. */
  readonly start: number;
  /**
   * While `next` waits for a change to come, the sequence number up to which there is none; undefined while there may
   * be one, or one has been handed out last.
   */
  idleAt(): number | undefined;
}

/** Of what waits, as many are taken at once; the rest counts as waiting. */
const mostAtOnce = 100;

/**
 * The changes of a tenant for one consumer, first from the log and then live: those that its filter asks for, or may ask
 * for once the classes of their entities are known, without a gap or a double.
 *
 * It listens before it reads, so what is committed during the catch-up waits in the buffer; the log is then read up to
 * where listening began, and what the buffer and the log have both is told apart by its sequence number.
 *
 * The promise settles when the subscription stands: every change committed after that is delivered.
 * @throws ConcordError -32012: `cursor-ahead`, `cursor-too-old`; while iterating also `slow-consumer`
 */
export async function subscribe(feed: ChangeFeed, options: SubscriberOptions): Promise<Changes> {
  const { tenant, signal } = options;
  const waiting: LoggedChange[] = [];
  const muchWaits = options.buffer / 10;
  let overflowed = false;
  let isParked = false;
  let notify = () => {};

  const { position, told, ...listening } = await feed.listen(tenant, options.filter, (changes) => {
    if (overflowed) return;
    overflowed = waiting.length + changes.length > options.buffer;
    if (!overflowed) waiting.push(...changes);
    if (waiting.length > muchWaits) feed.behind.add(waiting);
    isParked = false;
    notify();
  });
  function stop(): void {
    // Who no longer listens isn't told of what comes.
    isParked = false;
    feed.behind.delete(waiting);
    listening.stop();
  }
  // Not left to the iteration's end alone: a stream that is given up before its first event is never iterated.
  signal.addEventListener('abort', () => {
    stop();
    notify();
  });
  if (signal.aborted) stop();
  let cursor = options.after ?? (await feed.head(tenant).catch(abandon));
  const pending = await requireCursor(feed, tenant, cursor, options.after !== undefined).catch(abandon);

  function abandon(error: unknown): never {
    stop();
    throw error;
  }

  let page: LogEntry[] | undefined = pending;
  let isLive = false;

  /** What a page of the log holds, up to where listening began; undefined where there is no more of it. */
  async function fromLog(): Promise<LoggedChange[] | undefined> {
    while (!isLive && !signal.aborted) {
      const read: LogEntry[] = page ?? (await feed.read(tenant, cursor));
      page = undefined;
      const whole = untilGap(read, cursor);
      // What a slow consumer is still to read may have left the log, or somebody has taken it out.
      if (whole.length === 0 && cursor < position) throw tooOld(cursor, read[0]?.sequence ?? position + 1);
      cursor += whole.length;
      isLive = cursor >= position;
      const kept = whole.filter((entry): entry is LoggedChange => !isErased(entry) && mayPass(options.filter, entry));
      if (kept.length > 0) return kept;
    }
    return undefined;
  }

  async function live(): Promise<LoggedChange[] | undefined> {
    while (!signal.aborted) {
      const batch = waiting.splice(0, mostAtOnce).filter(({ sequence }) => sequence > cursor);
      if (waiting.length <= muchWaits) feed.behind.delete(waiting);
      const last = batch.at(-1);
      if (last) {
        cursor = last.sequence;
        return batch;
      }
      if (waiting.length > 0) continue;
      if (overflowed) throw slowConsumer(cursor);
      await new Promise<void>((resolve) => {
        notify = resolve;
        isParked = true;
      });
    }
    return undefined;
  }

  async function next(): Promise<LoggedChange[] | undefined> {
    try {
      const batch = (isLive ? undefined : await fromLog()) ?? (await live());
      if (!batch) stop();
      return batch;
    } catch (error) {
      return abandon(error);
    }
  }
  return Object.assign(new Batches(next, stop), { start: cursor, idleAt: () => (isParked ? told() : undefined) });
}

/** The entries that follow the cursor without a gap. */
function untilGap(page: LogEntry[], cursor: number): LogEntry[] {
  const gap = page.findIndex(({ sequence }, index) => sequence !== cursor + 1 + index);
  return gap < 0 ? page : page.slice(0, gap);
}

/** The first page after the cursor, having made sure that the log still holds everything after it. */
async function requireCursor(feed: ChangeFeed, tenant: string, cursor: number, isGiven: boolean): Promise<LogEntry[]> {
  const page = await feed.read(tenant, cursor);
  const [first] = page;
  if (first !== undefined && first.sequence !== cursor + 1) throw tooOld(cursor, first.sequence);
  if (first !== undefined || !isGiven) return page;
  const head = await feed.head(tenant);
  if (head === cursor) return page;
  if (head > cursor) {
    // Either the first change after the cursor was committed just now, or the log has been emptied.
    const again = await feed.read(tenant, cursor);
    if (again[0]?.sequence === cursor + 1) return again;
    throw tooOld(cursor, again[0]?.sequence ?? head + 1);
  }
  throw refuse('cursor-ahead', `The cursor ${cursor} is ahead of the change log, which ends at ${head}`, {
    newest: head,
  });
}

function slowConsumer(cursor: number): ConcordError {
  return refuse(
    'slow-consumer',
    `The subscriber is slower than the changes; read on after ${cursor} and resume from there`,
    { cursor },
  );
}
