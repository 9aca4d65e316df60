import { ConcordError, ErrorCode } from './errors.ts';

/** Which limit of a query was exceeded. The comments are the documentation that users read. */
export type LimitReason =
  /** Selections, or the filters of its arguments and variables, are nested beyond QUERY_MAX_DEPTH. */
  | 'too-deep'
  /** It has too many fields and filter conditions, fragments expanded. */
  | 'too-large'
  /** Its estimate is beyond QUERY_MAX_COST; it was not run. */
  | 'too-costly'
  /** It found more than QUERY_MAX_ROWS. */
  | 'too-many-rows'
  /** Its answer is longer than QUERY_MAX_BYTES. */
  | 'answer-too-large'
  /** It took longer than QUERY_TIMEOUT_MS. */
  | 'timeout'
  /** It took more memory of Neo4j than one transaction may, or, if it is retryable, than the others have left. */
  | 'too-much-memory'
  /** The same agent has QUERY_MAX_CONCURRENT queries under way; retryable. */
  | 'too-many-queries';

/** A query that was refused or stopped at a limit, with -32010; `found` is told where it is known. */
export class LimitExceeded extends ConcordError {
  readonly reason: LimitReason;

  constructor(
    reason: LimitReason,
    message: string,
    measured: { limit?: number; found?: number; retryable?: boolean },
  ) {
    const { retryable = false, ...numbers } = measured;
    super(ErrorCode.KnowledgeQuery, message, { reason, ...numbers, retryable });
    this.name = 'LimitExceeded';
    this.reason = reason;
  }
}

/** What a query is answered with whose answer is longer than `limit` bytes. */
export function answerTooLarge(limit: number, found?: number): LimitExceeded {
  return new LimitExceeded(
    'answer-too-large',
    `The answer is longer than the limit of ${limit} bytes; ask for fewer fields, or for pages with limit and offset`,
    { limit, ...(found !== undefined && { found }) },
  );
}

/** What a query is answered with that is nested so deeply that the stack ends before its levels are counted. */
export function nestedTooDeeply(limit: number): LimitExceeded {
  const message = `The query or its variables are nested far beyond the limit of ${limit} levels; split it`;
  return new LimitExceeded('too-deep', message, { limit });
}
