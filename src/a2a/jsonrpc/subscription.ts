import type { Response } from 'express';
import type { ConcordError } from '../../base/errors.ts';
import type { Call, Methods } from '../../calls/call.ts';
import { statusOf } from '../../calls/statuses.ts';
import { openStream } from '../../calls/streamAccount.ts';
import type { Instruments } from '../../telemetry/instruments.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Calls } from '../protocol/calls.ts';
import { invalidRequest, ProtocolError } from '../protocol/protocolError.ts';
import { Refusal, send } from '../protocol/response.ts';
import { errorText } from './answers.ts';
import { paramsOf, type Request } from './jsonrpc.ts';
import { sendEvents } from './stream.ts';

/** Answers one request with a stream. */
export type AnswerStream = (request: Request, call: Call, response: Response) => Promise<void>;

export interface SubscriptionParts {
  methods: Methods;
  calls: Calls;
  heartbeatMs: number;
  instruments: Instruments;
  logger: Logger;
}

/** Makes the calls that are answered with a stream, and accounts for how each ended. */
export function streamer({
  methods,
  calls,
  heartbeatMs,
  instruments,
  logger,
}: SubscriptionParts): AnswerStream {
  return async (request, call, response) => {
    const { id, method: name } = request;
    const method = methods.streaming.get(name);
    if (id === undefined || !method) {
      throw new Refusal(400, invalidRequest(`${name} needs an id: its events carry it`));
    }
    await calls.spanned(request, async (span) => {
      const outcome = await calls.made(request, call, span, async (traced) =>
        method(paramsOf(request), traced),
      );
      if (!outcome.ok) return send(response, httpStatus(outcome.error), errorText(id, outcome.error));
      const account = openStream(name, instruments, logger, (events, reason) =>
        span.setAttributes({ 'concord.events': events, 'concord.close_reason': reason }),
      );
      await sendEvents(response, outcome.value, { id, signal: call.signal, heartbeatMs, account });
    });
  };
}

/**
 * Extension 1.0, section 4.3: a stream that isn't established is answered under a status of its own; of A2A's own errors none has one. Whatever is
 * the caller's fault is 400 here.
 */
function httpStatus(error: ConcordError): number {
  if (error instanceof ProtocolError) return 200;
  const { http } = statusOf(error);
  return http < 500 ? 400 : http;
}
