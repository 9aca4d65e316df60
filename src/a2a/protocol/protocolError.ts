import { type A2AError, toJsonRpcError } from '@a2a-js/sdk/errors';
import { ConcordError, ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';

/** The body of a JSON-RPC error as the SDK writes it. */
export interface ErrorBody {
  code: number;
  message: string;
  /** A2A 1.0, section 9.5: a list of google.rpc messages. A2A 0.3: an object. */
  data?: unknown;
}

/** An error of the A2A protocol itself, as one of its versions writes it. */
export class ProtocolError extends ConcordError {
  readonly details: object | undefined;
  /** The error that transports other than JSON-RPC write in their own way. */
  readonly original: A2AError | undefined;

  constructor({ code, message, data }: ErrorBody, original?: A2AError) {
    super(code as ErrorCode, message);
    this.name = 'ProtocolError';
    this.details = typeof data === 'object' && data !== null ? data : undefined;
    this.original = original;
  }

  /** As A2A 1.0 writes it. */
  static of(error: A2AError): ProtocolError {
    return new ProtocolError(toJsonRpcError(error), error);
  }
}

/** The error for a request that the reader of its transport cannot make anything of. */
export function unreadable(message: string): ConcordError {
  return refuse('invalid-params', message, { retryable: false });
}

/** The error for what is no JSON-RPC request. */
export function invalidRequest(message: string): ConcordError {
  return new ConcordError(ErrorCode.InvalidRequest, message);
}
