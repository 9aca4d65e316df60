import type { StreamResponse } from '@a2a-js/sdk';
import type { Response } from 'express';
import { accountedStream } from '../../calls/accountedStream.ts';
import { asConcordError } from '../../calls/faults.ts';
import type { StreamAccount } from '../../calls/streamAccount.ts';
import { awaitReader, beginHeartbeat } from '../../calls/streamPace.ts';
import { faultOf } from './errors.ts';
import { StreamEvents } from './events.ts';
import type { TaskEvent } from './messages.ts';

export interface StreamOptions {
  /** Its reason is CallerGone, or the error to end the stream with. */
  signal: AbortSignal;
  heartbeatMs: number;
  account: StreamAccount;
}

/**
 * Writes the events of a task as server-sent events. It waits while the caller reads slowly. The response is ended when
 * this settles, and it does not throw.
 */
export async function sendEvents(
  response: Response,
  source: AsyncIterable<StreamResponse>,
  { signal, heartbeatMs, account }: StreamOptions,
): Promise<void> {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  beginHeartbeat(response, heartbeatMs);
  const events = new StreamEvents();
  const write = ({ event, data }: TaskEvent) => {
    if (!response.destroyed) response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const pace = () => (response.writableNeedDrain ? awaitReader(response, signal, heartbeatMs) : undefined);
  try {
    for await (const each of accountedStream(source, { signal, account, pace })) events.take(each).forEach(write);
  } catch (thrown) {
    write(events.broken(faultOf(asConcordError(thrown))));
  }
  if (!response.destroyed) response.end();
}
