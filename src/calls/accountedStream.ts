import type { Batches } from '../base/batches.ts';
import { untilAborted } from '../base/untilAborted.ts';
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

/**
 * The loop of every stream, whichever transport writes it: yields its events until the signal aborts, the next when the
 * last is on its way, and accounts for them and for how it ended.
 * @throws ConcordError with the cursor to resume after, where there is somebody to tell
 */
export async function* accountedStream<T>(
  source: AsyncIterable<T>,
  { signal, account, cursor, pace }: AccountedOptions<T>,
): AsyncGenerator<T, void> {
  let last = cursor?.start;
  // Unless it says otherwise: left while an event was on its way.
  let end: StreamEnd = { reason: 'caller-gone' };
  try {
    for await (const event of untilAborted(source, signal)) {
      yield event;
      last = cursor?.of(event);
      account.sent();
      await pace?.();
    }
    signal.throwIfAborted();
    end = { reason: 'completed' };
  } catch (thrown) {
    end = streamEnd(signal.aborted ? signal.reason : thrown, last);
    if (end.error) throw end.error;
  } finally {
    account.ended(end);
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
export async function deliver<T>(
  source: Batches<T>,
  { signal, account, cursor, pace, write }: DeliveryOptions<T>,
): Promise<void> {
  let last = cursor?.start;
  let end: StreamEnd = { reason: 'caller-gone' };
  const steps = stepsUntilAborted(source, signal);
  try {
    for (let batch = await steps.next(); batch; batch = await steps.next()) {
      for (let from = 0; from < batch.length && !signal.aborted; from += mostAtOnce) {
        const part = batch.length > mostAtOnce ? batch.slice(from, from + mostAtOnce) : batch;
        write(part);
        const event = part.at(-1);
        if (event !== undefined) last = cursor?.of(event);
        account.sent(part.length);
        await pace?.();
      }
    }
    signal.throwIfAborted();
    end = { reason: 'completed' };
  } catch (thrown) {
    end = streamEnd(signal.aborted ? signal.reason : thrown, last);
    if (end.error) throw end.error;
  } finally {
    steps.stop();
    account.ended(end);
  }
}

/** The batches until the signal aborts, also while the source itself is stuck waiting. */
function stepsUntilAborted<T>(source: Batches<T>, signal: AbortSignal) {
  // One listener for the whole stream, as in `untilAborted`.
  let abort = () => {};
  const onAbort = () => abort();
  signal.addEventListener('abort', onAbort);
  return {
    next: (): Promise<readonly T[] | undefined> =>
      signal.aborted
        ? Promise.resolve(undefined)
        : new Promise((resolve, reject) => {
            abort = () => resolve(undefined);
            source.next().then(resolve, reject);
          }),
    stop() {
      signal.removeEventListener('abort', onAbort);
      source.stop();
    },
  };
}
