import { ConcordError, ErrorCode } from './errors.ts';
import { type Reason, reasons } from './reasons.ts';

/** Which limit of a query was exceeded. */
export type LimitReason = Extract<
  Reason,
  | 'too-deep'
  | 'too-large'
  | 'too-costly'
  | 'too-many-rows'
  | 'answer-too-large'
  | 'timeout'
  | 'too-much-memory'
  | 'too-many-queries'
>;

/** A query that was refused or stopped at a limit, with -32010; `found` is told where it is known. */
export class LimitExceeded extends ConcordError {
  readonly reason: LimitReason;

  constructor(reason: LimitReason, message: string, measured: { limit?: number; found?: number; retryable?: boolean }) {
    const { retryable = reasons[reason].retryable, ...numbers } = measured;
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
