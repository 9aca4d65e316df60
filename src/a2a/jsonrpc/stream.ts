import type { ServerResponse } from 'node:http';
import { accountedStream } from '../../calls/accountedStream.ts';
import type { EventStream } from '../../calls/call.ts';
import { asConcordError } from '../../calls/faults.ts';
import type { StreamAccount } from '../../calls/streamAccount.ts';
import { awaitReader, beginHeartbeat } from '../../calls/streamPace.ts';
import { errorText, resultText } from './answers.ts';
import type { Id } from './jsonrpc.ts';

export interface StreamOptions {
  /** The id of the request; every event carries it. */
  id: Id;
  /** Its reason is CallerGone, or the error to end the stream with. */
  signal: AbortSignal;
  heartbeatMs: number;
  account: StreamAccount;
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
): Promise<void> {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
    // A header and not an event without data, which some parsers hand on as an empty event.
    ...(stream.cursor !== undefined && { 'Last-Event-ID': stream.cursor }),
  });
  response.flushHeaders();
  const stopHeartbeat = beginHeartbeat(response, heartbeatMs);
  const events = accountedStream(stream, {
    signal,
    account,
    cursor: { start: stream.cursor, of: (event) => event.id },
    pace: () => awaitReader(response, signal, heartbeatMs),
  });
  try {
    for await (const event of events) {
      const eventId = event.id === undefined ? '' : `id: ${event.id}\n`;
      response.write(`${eventId}data: ${resultText(id, event.result)}\n\n`);
    }
  } catch (thrown) {
    if (!response.destroyed) response.write(`data: ${errorText(id, asConcordError(thrown))}\n\n`);
  } finally {
    stopHeartbeat();
    await endResponse(response, 2 * heartbeatMs);
  }
}

/** Ends the response, and cuts the connection of a caller that does not read the end either. */
function endResponse(response: ServerResponse, patienceMs: number): Promise<void> {
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
