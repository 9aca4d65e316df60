import type { Response } from 'express';
import { Batches } from '../../base/batches.ts';
import type { ConcordError } from '../../base/errors.ts';
import { deliver } from '../../calls/accountedStream.ts';
import type { Call, EventStream, Methods, StreamEvent } from '../../calls/call.ts';
import { asConcordError } from '../../calls/faults.ts';
import { isRefusal } from '../../calls/refusals.ts';
import { statusOf } from '../../calls/statuses.ts';
import { openStream, type StreamAccount } from '../../calls/streamAccount.ts';
import { awaitReader, beginHeartbeat } from '../../calls/streamPace.ts';
import { isOverLimit } from '../../limits/rateLimits.ts';
import type { Instruments } from '../../telemetry/instruments.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Calls } from '../protocol/calls.ts';
import { invalidRequest, ProtocolError } from '../protocol/protocolError.ts';
import { adviseRetry, Refusal, send } from '../protocol/response.ts';
import { errorText } from './answers.ts';
import { eventFrame } from './eventFrame.ts';
import { type Id, paramsOf, type Request } from './jsonrpc.ts';

/** Answers one request with a stream. */
type AnswerStream = (request: Request, call: Call, response: Response) => Promise<void>;

interface StreamParts {
  methods: Methods;
  calls: Calls;
  heartbeatMs: number;
  instruments: Instruments;
  logger: Logger;
}

/** Makes the calls that are answered with a stream, and accounts for how each ended. */
export function streamer({ methods, calls, heartbeatMs, instruments, logger }: StreamParts): AnswerStream {
  return async (request, call, response) => {
    const { id, method: name } = request;
    const method = methods.streaming.get(name);
    if (id === undefined || !method) {
      throw new Refusal(400, invalidRequest(`${name} needs an id: its events carry it`));
    }
    await calls.spanned(request, async (span) => {
      const outcome = await calls.made(request, call, span, async (traced) => method(paramsOf(request), traced));
      if (!outcome.ok) {
        adviseRetry(response, outcome.error);
        return send(response, httpStatus(outcome.error), errorText(id, outcome.error));
      }
      const account = openStream(name, instruments, logger, (events, reason) =>
        span.setAttributes({ 'concord.events': events, 'concord.close_reason': reason }),
      );
      await sendEvents(response, outcome.value, { id, signal: call.signal, heartbeatMs, account });
    });
  };
}

/**
 * Extension 1.0, section 4.3: a stream that isn't established is answered under a status of its own; of A2A's own
 * errors none has one. Whatever is the caller's fault is 400 here, but for what it may not do.
 */
function httpStatus(error: ConcordError): number {
  if (error instanceof ProtocolError) return 200;
  const { http } = statusOf(error);
  return http < 500 && !isRefusal(error) && !isOverLimit(error) ? 400 : http;
}

interface StreamOptions {
  /** The id of the request; every event carries it. */
  id: Id;
  /** Its reason is CallerGone, or the error to end the stream with. */
  signal: AbortSignal;
  heartbeatMs: number;
  account: StreamAccount;
}

/**
 * Writes a stream as server-sent events: extension 1.0, section 4.3. The header `Last-Event-ID` says what it starts
 * after. It waits while the caller reads slowly; a caller that reads nothing for two heartbeats is told so and left.
 * The response is ended when this settles, and it does not throw.
 */
async function sendEvents(
  response: Response,
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
  beginHeartbeat(response, heartbeatMs);
  try {
    await deliver(stream instanceof Batches ? stream : Batches.of(stream), {
      signal,
      account,
      cursor: { start: stream.cursor, of: (event) => event.id },
      pace: () => (response.writableNeedDrain ? awaitReader(response, signal, heartbeatMs) : undefined),
      write: (events) => writeEvents(response, events, id),
    });
  } catch (thrown) {
    if (!response.destroyed) response.write(`data: ${errorText(id, asConcordError(thrown))}\n\n`);
  } finally {
    if (!response.destroyed) {
      response.end();
      await new Promise((resolve) => response.once('close', resolve));
    }
  }
}

/** Several go as one piece: each write is a call of the system, which costs more than all the rest. */
function writeEvents(response: Response, events: readonly StreamEvent[], id: Id): void {
  if (events.length > 1) response.cork();
  for (const event of events) response.write(eventFrame(event, id));
  if (events.length > 1) response.uncork();
}
