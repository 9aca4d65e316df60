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
  pace?(): Promise<void>;
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
