import { restStatusFor } from '@a2a-js/sdk/errors';
import type { Response } from 'express';
import type { Calls } from '../../a2a/protocol/calls.ts';
import { ProtocolError } from '../../a2a/protocol/protocolError.ts';
import { Refusal } from '../../a2a/protocol/response.ts';
import type { ConcordError } from '../../base/errors.ts';
import { asConcordError } from '../../calls/faults.ts';
import { retryAfter, soon, statusOf } from '../../calls/statuses.ts';
import { AccessRefused } from '../../security/refused.ts';
import type { Fault } from './messages.ts';

/** An error as this dialect has it: that of JSON-RPC, under a status. */
export function faultOf(error: ConcordError): Fault {
  const { code, message } = error;
  return { code, message, data: error instanceof ProtocolError ? {} : { ...error.data } };
}

/** Answers a request that is refused. @param calls accounts for one that came to no call */
export function refuseRequest(calls: Pick<Calls, 'refused'> | undefined, response: Response, thrown: unknown): void {
  const error = asConcordError(thrown instanceof Refusal ? thrown.error : thrown);
  calls?.refused(error);
  if (response.headersSent || response.destroyed) return;
  const status = httpStatus(thrown, error);
  if (thrown instanceof AccessRefused && thrown.challenge) response.set('WWW-Authenticate', thrown.challenge);
  const again = retryAfter(error) ?? (status === 503 || status === 429 ? soon : undefined);
  if (again !== undefined) response.set('Retry-After', again);
  response
    .status(status)
    .set('Cache-Control', 'no-store')
    .json({ error: faultOf(error) });
}

function httpStatus(thrown: unknown, error: ConcordError): number {
  if (thrown instanceof Refusal) return thrown.status;
  if (error instanceof ProtocolError && error.original) return restStatusFor(error.original);
  return statusOf(error).http;
}
