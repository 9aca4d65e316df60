import type { Database } from '../../graph/database/database.ts';
import type { Queryable } from '../../graph/database/queryable.ts';
import type { UpdateRecord } from '../../graph/updates/updateRecord.ts';

/** An update that was reviewed, as far as its task is concerned. */
export type ReviewedUpdate = Pick<UpdateRecord, 'taskId'>;

/**
 * Ends the tasks that wait for the review of these updates, in the transaction of the review.
 * @returns what tells of it, to be called once that is committed
 */
export type EndReviewed = (tx: Queryable, tenant: string, updates: ReviewedUpdate[]) => Promise<() => void>;

export interface ReviewTransactionParts {
  database: Database;
  /** Of one transaction. */
  timeoutMs: number;
  endReviewed: EndReviewed;
}

/**
 * Runs one write transaction of a tenant in which proposals may be reviewed: the tasks that wait for them end in it,
 * and who follows these is told once it is committed.
 * @param written told when only the commit itself is left
 */
export async function writeReviews<T>(
  { database, timeoutMs, endReviewed }: ReviewTransactionParts,
  tenant: string,
  work: (tx: Queryable) => Promise<{ result: T; reviewed: ReviewedUpdate[] }>,
  written = () => {},
): Promise<T> {
  const { result, tell } = await database.write(async (tx) => {
    const { result, reviewed } = await work(tx);
    const tell = await endReviewed(tx, tenant, reviewed);
    written();
    return { result, tell };
  }, timeoutMs);
  tell();
  return result;
}
