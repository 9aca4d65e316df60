import type { Socket } from 'node:net';
import { answerTooLarge } from '../../base/limitExceeded.ts';
import type { SelectLimits } from './source.ts';

/**
 * Ends a connection where an answer becomes too long, however long one of its values is, or is no longer wanted.
 * @returns what takes the watch away
 */
export function watchedStream(stream: Socket, { bytes, signal }: Pick<SelectLimits, 'bytes' | 'signal'>): () => void {
  let received = 0;
  const onData = (chunk: Buffer) => {
    received += chunk.length;
    if (received > bytes) stream.destroy(answerTooLarge(bytes));
  };
  const onAbort = () => stream.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  stream.on('data', onData);
  signal.addEventListener('abort', onAbort, { once: true });
  return () => {
    stream.off('data', onData);
    signal.removeEventListener('abort', onAbort);
  };
}
