import { ConcordError, ErrorCode } from '../base/errors.ts';
import { traceId } from '../telemetry/tracing.ts';

/** What the caller may know of an error: its own faults in full, Concord's only by the trace id. */
export function answerable(error: unknown): ConcordError {
  if (error instanceof ConcordError) return error;
  return new ConcordError(
    ErrorCode.InternalError,
    'Internal error',
    { traceId: traceId() },
    { cause: error },
  );
}
