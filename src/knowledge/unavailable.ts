import { ConcordError, type ErrorCode } from '../base/errors.ts';

/**
 * Neo4j is away or busy.
 * @param advice what the caller can do, to follow upon "The database is unavailable;"
 */
export function databaseUnavailable(code: ErrorCode, advice: string, cause: unknown): ConcordError {
  return new ConcordError(
    code,
    `The database is unavailable; ${advice}`,
    { reason: 'database-unavailable', retryable: true },
    { cause },
  );
}
