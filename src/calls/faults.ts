import { ConcordError, ErrorCode } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import { traceId } from '../telemetry/tracing.ts';

/** What the caller may know of an error: its own faults in full, Concord's only by the trace id. */
export function asConcordError(error: unknown): ConcordError {
  if (error instanceof ConcordError) return error;
  return new ConcordError(
    ErrorCode.InternalError,
    'Internal error',
    { traceId: traceId() },
    { cause: error },
  );
}

/**
 * Neo4j is away or busy.
 * @param advice what the caller can do, to follow upon "The database is unavailable;"
 */
export function databaseUnavailable(code: ErrorCode, advice: string, cause: unknown): ConcordError {
  return refuse('database-unavailable', `The database is unavailable; ${advice}`, {}, { code, cause });
}
