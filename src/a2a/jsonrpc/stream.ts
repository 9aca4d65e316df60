import type { ServerResponse } from 'node:http';
import type { ConcordError } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import { untilAborted } from '../../base/untilAborted.ts';
import type { EventStream } from '../../calls/call.ts';
import type { StreamAccount } from '../../calls/streamAccount.ts';
import { type StreamEnd, streamEnd } from '../../calls/streamEnd.ts';
import { errorText, resultText } from './answers.ts';
import type { Id } from './jsonrpc.ts';

export interface StreamOptions {
  /** The id of the request; every event carries it. */
  id: Id;
  /** Its reason is CallerGone, or the error to end the stream with. */
  signal: AbortSignal;
  heartbeatMs: number;
  account: Pick<StreamAccount, 'sent'>;
}

/**
 * Writes a stream as server-sent events: extension 1.0, section 4.3. The header `Last-Event-ID` says what it starts after.
 * It waits while the caller reads slowly; a caller that reads nothing for two heartbeats is told so and left. The response is
 * ended when this settles, and it does not throw.
 */
export async function sendEvents(
  response: ServerResponse,
  stream: EventStream,
  { id, signal, heartbeatMs, account }: StreamOptions,
): Promise<StreamEnd> {
  let { cursor } = stream;
  let end: StreamEnd = { reason: 'completed' };
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
    // A header and not an event without data, which some parsers hand on as an empty event.
    ...(stream.cursor !== undefined && { 'Last-Event-ID': stream.cursor }),
  });
  response.flushHeaders();
  const heartbeat = setInterval(() => {
    if (!response.destroyed && !response.writableNeedDrain) response.write(': heartbeat\n');
  }, heartbeatMs);
  try {
    for await (const event of untilAborted(stream, signal)) {
      const eventId = event.id === undefined ? '' : `id: ${event.id}\n`;
      const fits = response.write(`${eventId}data: ${resultText(id, event.result)}\n\n`);
      cursor = event.id;
      account.sent();
      if (!fits) await drained(response, signal, 2 * heartbeatMs);
    }
    signal.throwIfAborted();
  } catch (thrown) {
    end = streamEnd(signal.aborted ? signal.reason : thrown, cursor);
    if (end.error && !response.destroyed) response.write(`data: ${errorText(id, end.error)}\n\n`);
  } finally {
    clearInterval(heartbeat);
    await ended(response, 2 * heartbeatMs);
  }
  return end;
}

/** Waits until the caller has read what was written. */
function drained(response: ServerResponse, signal: AbortSignal, patienceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      clearTimeout(patience);
      response.off('drain', onDrain);
      signal.removeEventListener('abort', onAbort);
      if (error) reject(error);
      else resolve();
    };
    const onDrain = () => settle();
    const onAbort = () => settle(signal.reason);
    const patience = setTimeout(() => settle(slowConsumer(patienceMs)), patienceMs);
    response.on('drain', onDrain);
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

/** Ends the response, and cuts the connection of a caller that does not read the end either. */
function ended(response: ServerResponse, patienceMs: number): Promise<void> {
  if (response.destroyed || response.writableFinished) return Promise.resolve();
  return new Promise((resolve) => {
    const cut = setTimeout(() => response.destroy(), patienceMs);
    response.once('close', () => {
      clearTimeout(cut);
      resolve();
    });
    response.end();
  });
}
