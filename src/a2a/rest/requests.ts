import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { Request, Response } from 'express';
import { parse } from 'secure-json-parse';
import { ConcordError } from '../../base/errors.ts';
import { asConcordError } from '../../calls/faults.ts';
import { requireShallow } from '../../calls/nesting.ts';
import { soon, statusOf } from '../../calls/statuses.ts';
import { AccessRefused } from '../../security/refused.ts';
import type { Calls } from '../protocol/calls.ts';
import { ProtocolError } from '../protocol/protocolError.ts';
import { Refusal } from '../protocol/response.ts';
import { restBody } from '../protocol/transportErrors.ts';
import { versionAsked } from '../protocol/version.ts';

/**
 * Answers a request that came to no call, as its version of A2A has it.
 * @param version where it isn't told by the request
 */
export function refuseRequest(
  calls: Pick<Calls, 'refused'>,
  request: Request,
  response: Response,
  thrown: unknown,
  version = versionAsked(request.get('A2A-Version')),
): void {
  const error = asConcordError(thrown instanceof Refusal ? thrown.error : thrown);
  calls.refused(error);
  const status = thrown instanceof Refusal ? thrown.status : statusOf(error).http;
  if (thrown instanceof AccessRefused && thrown.challenge) {
    response.set('WWW-Authenticate', thrown.challenge);
  }
  if (status === 503) response.set('Retry-After', soon);
  if (response.headersSent || response.destroyed) return;
  response.status(status).json(restBody(error, version, status));
}

/** @throws ConcordError for what is no JSON, or is nested too deeply */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    requireShallow(text);
    return parse(text);
  } catch (error) {
    if (error instanceof ConcordError) throw error;
    throw ProtocolError.of(new RequestMalformedError('The body is not JSON'));
  }
}
