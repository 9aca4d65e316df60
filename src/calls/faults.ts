import { ConcordError, ErrorCode } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import { isAwayOrBusy } from '../graph/database/away.ts';
import { OutcomeUnknown } from '../graph/database/outcomeUnknown.ts';
import { traceId } from '../telemetry/tracing.ts';

/** While Neo4j is away it is asked again so often. */
const retryAfterMs = 1_000;

/** What the caller may know of an error: its own faults in full, Concord's only by the trace id. */
export function asConcordError(error: unknown): ConcordError {
  if (error instanceof ConcordError) return error;
  const fault = faultOf(error, ErrorCode.InternalError, 'try again later');
  // Nobody knows here whether it would be applied twice.
  if (fault instanceof ConcordError && fault.data.reason === 'database-unavailable') return fault;
  return new ConcordError(ErrorCode.InternalError, 'Internal error', { traceId: traceId() }, { cause: error });
}

/**
 * The fault of a method, as its caller is told of it where Neo4j is away or busy, or went away while it committed; any
 * other as it is.
 * @param advice what the caller can do, to follow upon "The database is unavailable;"
 */
export function faultOf(cause: unknown, code: ErrorCode, advice: string): unknown {
  if (cause instanceof OutcomeUnknown) {
    const message =
      'Neo4j did not say whether it has applied this. Send it again: what was applied is not applied twice.';
    return refuse('outcome-unknown', message, {}, { code, cause });
  }
  if (!isAwayOrBusy(cause)) return cause;
  return refuse('database-unavailable', `The database is unavailable; ${advice}`, { retryAfterMs }, { code, cause });
}
