import { createParser } from 'eventsource-parser';
import { TransportError } from './errors.ts';

/** A server-sent event, or a comment: that is a heartbeat. */
export type Message = { kind: 'event'; id?: string; data: string } | { kind: 'comment' };

/** Milliseconds of silence after which a connection counts as lost: three heartbeats. */
export const defaultStallMs = 45_000;

/**
 * Reads server-sent events until the stream ends. The time that the consumer takes over a message doesn't count as
 * silence.
 * @param stallMs milliseconds without a byte after which the connection counts as lost
 * @throws TransportError `stalled`; what the body throws
 */
export async function* messages(body: ReadableStream<Uint8Array>, stallMs: number): AsyncGenerator<Message, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read: Message[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => read.push({ kind: 'event', id, data }),
    onComment: () => read.push({ kind: 'comment' }),
  });
  for (;;) {
    const { done, value } = await within(stallMs, reader.read());
    if (done) return;
    parser.feed(decoder.decode(value, { stream: true }));
    yield* read.splice(0);
  }
}

function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(stalled(ms)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function stalled(ms: number): TransportError {
  return new TransportError(`The stream was silent for ${ms} ms, without even a heartbeat`, {
    reason: 'stalled',
    retryable: true,
  });
}
