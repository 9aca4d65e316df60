import type { RequestHandler } from 'express';
import { errorText } from '../a2a/jsonrpc/answers.ts';
import { send } from '../a2a/protocol/response.ts';
import { ConcordError } from '../base/errors.ts';
import { retryAfter, statusOf } from '../calls/statuses.ts';
import type { RateLimits } from '../limits/rateLimits.ts';
import { type Noted, notingStanding, rateLimitHeaders } from '../limits/requestStanding.ts';
import { callerAddress } from '../telemetry/tracing.ts';

/** Probes of whoever runs it are not counted. */
const free = new Set(['/healthz', '/readyz']);

/** Counts each request by its address before anything else is done with it, and tells in the headers where it stands. */
export function rateLimited(rates: RateLimits): RequestHandler {
  return (request, response, next) => {
    if (free.has(request.path)) return next();
    const writeHead = response.writeHead as (...given: unknown[]) => typeof response;
    const noted: Noted = {};
    response.writeHead = (...given: unknown[]) => {
      const { nearest, retryAfterMs } = noted;
      if (nearest && !response.headersSent) for (const each of rateLimitHeaders(nearest)) response.setHeader(...each);
      // A task that was refused is no error of its request.
      if (retryAfterMs !== undefined && !response.headersSent && !response.hasHeader('Retry-After'))
        response.setHeader('Retry-After', Math.ceil(retryAfterMs / 1_000));
      return writeHead.apply(response, given);
    };
    notingStanding(noted, async () => {
      const refusal = await refusalOf(rates.admitAddress(callerAddress()));
      if (refusal === undefined) return next();
      response.set('Retry-After', retryAfter(refusal));
      send(response, statusOf(refusal).http, errorText(null, refusal));
    });
  };
}

async function refusalOf(admitted: Promise<void>): Promise<ConcordError | undefined> {
  try {
    await admitted;
    return undefined;
  } catch (error) {
    if (error instanceof ConcordError) return error;
    throw error;
  }
}
