import type { Batches } from '../base/batches.ts';
import { stepsUntilAborted, untilAborted } from '../base/untilAborted.ts';
import type { StreamAccount } from './streamAccount.ts';
import { type StreamEnd, streamEnd } from './streamEnd.ts';

export interface AccountedOptions<T> {
  /** Its reason is CallerGone, or the error to end the stream with. */
  signal: AbortSignal;
  account: StreamAccount;
  /**
   * What the stream starts after, and what to resume after behind one of its events; without it the stream can't be
   * resumed.
   */
  cursor?: { start: string | number | undefined; of(event: T): string | number | undefined };
  /** Settles once the caller has read enough of what was written to be sent more. */
  pace?(): Promise<void> | undefined;
}

/** What a stream accounts for: where its reader is to resume, and how it ended. */
class Accounting<T> {
  private last: string | number | undefined;
  // Unless it says otherwise: left while an event was on its way.
  private end: StreamEnd = { reason: 'caller-gone' };

  constructor(private readonly options: AccountedOptions<T>) {
    this.last = options.cursor?.start;
  }

  /** @param event the last of so many that have been sent */
  sent(event: T, events = 1): void {
    this.last = this.options.cursor?.of(event);
    this.options.account.sent(events);
  }

  complete(): void {
    this.options.signal.throwIfAborted();
    this.end = { reason: 'completed' };
  }

  /** @throws ConcordError with the cursor to resume after, where there is somebody to tell */
  fail(thrown: unknown): void {
    const { signal } = this.options;
    this.end = streamEnd(signal.aborted ? signal.reason : thrown, this.last);
    if (this.end.error) throw this.end.error;
  }

  close(): void {
    this.options.account.ended(this.end);
  }
}

/**
 * The loop of every stream, whichever transport writes it: yields its events until the signal aborts, the next when the
 * last is on its way, and accounts for them and for how it ended.
 * @throws ConcordError with the cursor to resume after, where there is somebody to tell
 */
export async function* accountedStream<T>(
  source: AsyncIterable<T>,
  options: AccountedOptions<T>,
): AsyncGenerator<T, void> {
  const accounting = new Accounting(options);
  try {
    for await (const event of untilAborted(source, options.signal)) {
      yield event;
      accounting.sent(event);
      await options.pace?.();
    }
    accounting.complete();
  } catch (thrown) {
    accounting.fail(thrown);
  } finally {
    accounting.close();
  }
}

export interface DeliveryOptions<T> extends AccountedOptions<T> {
  /** Writes some of what has come, in order. */
  write(events: readonly T[]): void;
}

/** As many events are written before the reader is asked whether it has read them. */
const mostAtOnce = 32;

/**
 * The same loop for what many events at once are written for: `write` gets what there is, the next when the last is on
 * its way. Settles when the stream has ended.
 * @throws ConcordError with the cursor to resume after, where there is somebody to tell
 */
export async function deliver<T>(source: Batches<T>, options: DeliveryOptions<T>): Promise<void> {
  const { signal, pace, write } = options;
  const accounting = new Accounting(options);
  const steps = stepsUntilAborted(source, signal);
  try {
    for (let batch = await steps.next(); batch; batch = await steps.next()) {
      for (let from = 0; from < batch.length && !signal.aborted; from += mostAtOnce) {
        const part = batch.length > mostAtOnce ? batch.slice(from, from + mostAtOnce) : batch;
        write(part);
        const event = part.at(-1);
        if (event !== undefined) accounting.sent(event, part.length);
        await pace?.();
      }
    }
    accounting.complete();
  } catch (thrown) {
    accounting.fail(thrown);
  } finally {
    steps.stop();
    accounting.close();
  }
}
