import type { Response } from 'express';
import type { ConcordError } from '../../base/errors.ts';
import { retryAfter, soon } from '../../calls/statuses.ts';

/** A request that came to no call, answered with a JSON-RPC error under an HTTP status of its own. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly error: ConcordError,
  ) {
    super(error.message);
    this.name = 'Refusal';
  }
}

/** Says in the header when to come again, where an error does; of a JSON-RPC answer too, whose status is 200. */
export function adviseRetry(response: Response, error: ConcordError): void {
  const seconds = retryAfter(error);
  if (seconds !== undefined && !response.headersSent) response.set('Retry-After', seconds);
}

/** Sends a JSON text; without one, 204 and no body. */
export function send(response: Response, status: number, text: string | undefined): void {
  if (response.destroyed) return;
  if (text === undefined) {
    response.writeHead(204).end();
    return;
  }
  if (status === 503) response.set({ 'Retry-After': soon, Connection: 'close' });
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  response.end(text);
}
