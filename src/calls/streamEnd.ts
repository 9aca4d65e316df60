import { ConcordError, ErrorCode } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import { asConcordError } from './faults.ts';

/** Why a call's signal aborts when there is nobody left to answer. */
export class CallerGone extends Error {
  constructor() {
    super('The caller closed the connection');
    this.name = 'CallerGone';
  }
}

/** How a stream ended. */
export interface StreamEnd {
  /** `completed`, `caller-gone`, `internal-error` or the `data.reason` of the error. */
  reason: string;
  /** What to tell the caller; absent where everything was sent, or nobody listens. */
  error?: ConcordError;
  /** A fault of Concord's own, for the log. */
  fault?: unknown;
}

/**
 * What ended a stream.
 * @param cause what was thrown, or the reason of the signal that aborted it
 * @param cursor of the last event that was sent, else what the stream started after: the error tells it, unless it
 *   knows better
 */
export function streamEnd(cause: unknown, cursor: string | number | undefined): StreamEnd {
  if (cause instanceof CallerGone) return { reason: 'caller-gone' };
  const error = asConcordError(cause);
  if (error.code === ErrorCode.InternalError) {
    return { reason: error.data.reason ?? 'internal-error', error, fault: cause };
  }
  return { reason: error.data.reason ?? 'error', error: withCursor(error, cursor) };
}

function withCursor(error: ConcordError, cursor: string | number | undefined): ConcordError {
  if (cursor === undefined || 'cursor' in error.data) return error;
  return new ConcordError(error.code, error.message, { ...error.data, cursor }, { cause: error });
}

/** Ends a stream when the service shuts down. */
export function streamDraining(): ConcordError {
  return refuse(
    'draining',
    'Concord is shutting down; subscribe again with the last event id',
    {},
    { code: ErrorCode.KnowledgeSubscription },
  );
}

/** Ends a stream whose caller is no longer recognized. */
export function streamRefused({ message, data }: ConcordError): ConcordError {
  return new ConcordError(ErrorCode.KnowledgeSubscription, message, data);
}

/** The answer to a request that a shutdown cuts off or comes before. */
export function requestDraining(): ConcordError {
  return refuse('draining', 'Concord is shutting down; send the request again');
}
