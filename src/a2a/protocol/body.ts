import { ContentTypeNotSupportedError } from '@a2a-js/sdk/errors';
import express, { type Request, type Response } from 'express';
import { ConcordError, ErrorCode } from '../../base/errors.ts';
import { invalidRequest, ProtocolError } from './protocolError.ts';
import { Refusal } from './response.ts';

/** Reads the raw body of a request, of a caller that its headers have made known or of anybody. */
export type ReadBody = (request: Request, response: Response, isKnown: boolean) => Promise<Uint8Array>;

/** Bytes that a body may have, counted after decompression. */
export interface BodyLimits {
  ofKnown: number;
  ofAnybody: number;
}

/** What a token in `metadata` needs, with a request around it; more is not to be had for nothing. */
const anonymousBytes = 65_536;

/** @param identities whether callers need credentials */
export function bodyLimits(most: number, identities: boolean): BodyLimits {
  return { ofKnown: most, ofAnybody: identities ? Math.min(most, anonymousBytes) : most };
}

/**
 * Makes a reader of JSON bodies.
 * The reader throws a Refusal: 415 for what isn't JSON in UTF-8, 413 for what is too long.
 */
export function bodyReader({ ofKnown, ofAnybody }: BodyLimits): ReadBody {
  const reader = (limit: number, tooLong: string) => {
    const read = express.raw({ type: () => true, limit });
    return (request: Request, response: Response) =>
      new Promise<void>((resolve, reject) => {
        read(request, response, (error?: unknown) => (error ? reject(refusal(error, tooLong)) : resolve()));
      });
  };
  const longerThan = (limit: number) => `The body is longer than the limit of ${limit} bytes`;
  const readOfKnown = reader(ofKnown, longerThan(ofKnown));
  const hint = ofAnybody < ofKnown ? ' for requests without credentials in a header' : '';
  const readOfAnybody = reader(ofAnybody, longerThan(ofAnybody) + hint);
  return async (request, response, isKnown) => {
    checkContentType(request);
    await (isKnown ? readOfKnown : readOfAnybody)(request, response);
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

function refusal(error: unknown, tooLong: string): Refusal {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') {
    return new Refusal(413, invalidRequest(tooLong));
  }
  if (status === 415) {
    return unsupported('Content-Encoding must be gzip, deflate, br or identity');
  }
  // What remains is a body that ended early or does not decompress.
  return new Refusal(400, new ConcordError(ErrorCode.ParseError, 'The body could not be read to its end'));
}
