import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { ConcordError } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';

/**
 * Writes comments to server-sent events until the response is closed, so that nobody takes the connection for dead, and
 * cuts off who doesn't read their end within two heartbeats.
 */
export function beginHeartbeat(response: ServerResponse, heartbeatMs: number): void {
  if (response.destroyed) return;
  let unread = 0;
  const heartbeat = setInterval(() => {
    if (response.writableEnded) unread += 1;
    if (unread === 2) response.destroy();
    const isOpen = response.headersSent && !response.writableEnded && !response.destroyed;
    if (isOpen && !response.writableNeedDrain) response.write(': heartbeat\n');
  }, heartbeatMs);
  response.once('close', () => clearInterval(heartbeat));
}

/**
 * Waits until the caller has read what was written.
 * @throws ConcordError `slow-consumer` when it takes longer than two heartbeats, and the reason of the signal
 */
export function awaitReader(writable: Writable, signal: AbortSignal, heartbeatMs: number): Promise<void> {
  if (!writable.writableNeedDrain) return Promise.resolve();
  const patienceMs = 2 * heartbeatMs;
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      clearTimeout(patience);
      writable.off('drain', onDrain);
      signal.removeEventListener('abort', onAbort);
      if (error) reject(error);
      else resolve();
    };
    const onDrain = () => settle();
    const onAbort = () => settle(signal.reason);
    const patience = setTimeout(() => settle(slowConsumer(patienceMs)), patienceMs);
    writable.on('drain', onDrain);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

function slowConsumer(patienceMs: number): ConcordError {
  return refuse(
    'slow-consumer',
    `The stream was not read for ${patienceMs} ms; subscribe again with the last event id`,
  );
}
