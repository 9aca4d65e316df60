import { ContentTypeNotSupportedError } from '@a2a-js/sdk/errors';
import express, { type Request, type Response } from 'express';
import { ConcordError, ErrorCode } from '../errors.ts';
import { invalidRequest } from './jsonrpc.ts';
import { ProtocolError } from './protocolError.ts';
import { Refusal } from './response.ts';

/** Reads the raw body of a request. */
export type ReadBody = (request: Request, response: Response) => Promise<Uint8Array>;

/**
 * Makes a reader of JSON bodies of at most `limit` bytes, counted after decompression.
 * The reader throws a Refusal: 415 for what isn't JSON in UTF-8, 413 for what is too long.
 */
export function bodyReader(limit: number): ReadBody {
  const read = express.raw({ type: () => true, limit });
  return async (request, response) => {
    checkContentType(request);
    await new Promise<void>((resolve, reject) => {
      read(request, response, (error?: unknown) => (error ? reject(refusal(error, limit)) : resolve()));
    });
    return request.body instanceof Uint8Array ? request.body : new Uint8Array();
  };
}

function checkContentType(request: Request): void {
  // No bytes are of no type; that there are none, the parser answers better.
  if (request.headers['content-length'] === '0') return;
  // Only false is a wrong type: null says that there is no body.
  if (request.is(['application/json', 'application/json-rpc', '+json']) === false) {
    throw unsupported('Content-Type must be application/json');
  }
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) {
    throw unsupported('The charset of the body must be UTF-8');
  }
}

/** A2A 1.0, section 5.4: -32005. */
function unsupported(message: string): Refusal {
  return new Refusal(415, ProtocolError.of(new ContentTypeNotSupportedError(message)));
}

function refusal(error: unknown, limit: number): Refusal {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') {
    return new Refusal(413, invalidRequest(`The body is longer than the limit of ${limit} bytes`));
  }
  if (status === 415) {
    return unsupported('Content-Encoding must be gzip, deflate, br or identity');
  }
  // What remains is a body that ended early or does not decompress.
  return new Refusal(400, new ConcordError(ErrorCode.ParseError, 'The body could not be read to its end'));
}
