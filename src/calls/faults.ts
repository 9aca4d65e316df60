import { ConcordError, ErrorCode } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import { isUnavailable } from '../graph/database/database.ts';
import { traceId } from '../telemetry/tracing.ts';

/** What the caller may know of an error: its own faults in full, Concord's only by the trace id. */
export function asConcordError(error: unknown): ConcordError {
  if (error instanceof ConcordError) return error;
  return new ConcordError(ErrorCode.InternalError, 'Internal error', { traceId: traceId() }, { cause: error });
}

/**
 * The fault of a method, as its caller is told of it where Neo4j is away or busy; any other as it is.
 * @param advice what the caller can do, to follow upon "The database is unavailable;"
 */
export function faultOf(cause: unknown, code: ErrorCode, advice: string): unknown {
  if (!isUnavailable(cause)) return cause;
  return refuse('database-unavailable', `The database is unavailable; ${advice}`, {}, { code, cause });
}
