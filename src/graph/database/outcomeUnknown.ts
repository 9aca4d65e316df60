import { Neo4jError } from 'neo4j-driver';

/**
 * A write of which it isn't known whether it was committed: Neo4j was told to commit it, and went away, or failed in
 * the midst of it, before it said how that ended.
 */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('It is not known whether the transaction was committed', { cause });
    this.name = 'OutcomeUnknown';
  }
}

/**
 * Codes that leave open how a commit has ended: the connection was lost, or the database failed, as on a full disk,
 * where what is in its log may be applied when it recovers. All others say that the transaction was rolled back.
 */
const open = /^(ServiceUnavailable|SessionExpired|Neo\.DatabaseError\..*|Neo\.TransientError\.(General|Database)\..*)$/;

/** Whether an error that came of a commit leaves open how it has ended. */
export function leavesOpen(error: unknown): boolean {
  return error instanceof Neo4jError && open.test(error.code);
}
