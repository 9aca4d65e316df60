import neo4j from 'neo4j-driver';
import type { Database } from '../database/database.ts';
import type { Queryable } from '../database/queryable.ts';
import { Sweep } from '../database/sweep.ts';
import { dateTime } from '../statements/values.ts';

/** What a log keeps; by either what is absent bounds nothing. */
export interface Retention {
  /** Milliseconds. */
  ageMs?: number;
  /** The newest changes of each tenant. */
  count?: number;
}

interface LogRetentionParts {
  retention: Retention;
  /** Milliseconds since 1970. */
  now(): number;
  onError(error: unknown): void;
}

/** What is younger stays in any case: listeners may be just about to read it. */
const youngestMs = 60_000;
/** Of one transaction. */
const batch = 1_000;

/**
 * Lets go of changes that have had their time, from the beginning of each tenant's log. The last change stays, so that
 * a log is never empty that once had something.
 */
export function logRetention(database: Database, { retention, now, onError }: LogRetentionParts): Sweep {
  const { ageMs, count } = retention;
  const step = async (tx: Queryable) => {
    const due = { before: ageMs === undefined ? undefined : now() - ageMs, count, settled: now() - youngestMs };
    return (await removeChanges(tx, due, batch)) === batch;
  };
  return new Sweep({ database, step, onError });
}

/** All of a ledger but its last; those of one tenant are sorted by both, as the index is, so that few are read. */
const oldest = 'MATCH (c:Change {tenant: l.tenant}) WHERE c.sequence < l.sequence';
const isDue = (change: string) =>
  `(${change}.timestamp < $settled AND (coalesce(${change}.timestamp < $before, false)
      OR coalesce(${change}.sequence <= l.sequence - $count, false)))`;

/**
 * Removes the oldest changes of each tenant up to the first that is still wanted, so that no log gets a gap. The
 * updates that they belong to stay.
 * @param due changes of before a time in milliseconds since 1970, and those beyond the newest so many; none that is not
 *   of before `settled`
 * @returns of how many, at most `limit`
 */
export async function removeChanges(
  tx: Queryable,
  due: { before: number | undefined; count: number | undefined; settled: number },
  limit: number,
): Promise<number> {
  const { records } = await tx.run<{ removed: number }>(
    `MATCH (l:Ledger) WHERE l.heldUntil IS NULL OR l.heldUntil < datetime()
     CALL (l) {
       ${oldest}
       RETURN c AS first ORDER BY c.tenant, c.sequence LIMIT 1
     }
     WITH l, first WHERE ${isDue('first')}
     CALL (l) {
       ${oldest}
       WITH c ORDER BY c.tenant, c.sequence LIMIT $limit
       RETURN collect(c) AS oldest
     }
     WITH l, oldest, [c IN oldest WHERE NOT ${isDue('c')} | c.sequence][0] AS wanted
     UNWIND [c IN oldest WHERE wanted IS NULL OR c.sequence < wanted] AS c
     WITH c LIMIT $limit
     DETACH DELETE c
     RETURN count(*) AS removed`,
    {
      limit: neo4j.int(limit),
      settled: dateTime(due.settled),
      before: due.before === undefined ? null : dateTime(due.before),
      count: due.count === undefined ? null : neo4j.int(due.count),
    },
  );
  return records[0]?.get('removed') ?? 0;
}
