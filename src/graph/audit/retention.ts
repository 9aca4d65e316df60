import neo4j from 'neo4j-driver';
import type { Database } from '../database/database.ts';
import type { Queryable } from '../database/queryable.ts';
import { Sweep } from '../database/sweep.ts';
import { dateTime } from '../statements/values.ts';

/** Of one transaction. */
const batch = 5_000;

/** Lets go of old entries. The chain keeps where it begins now, so that what is left can be verified. */
export function auditRetention(
  database: Database,
  { before, onError }: { before(): number; onError(error: unknown): void },
): Sweep {
  const step = async (tx: Queryable) => (await removeEntries(tx, before(), batch)) > 0;
  return new Sweep({ database, step, onError });
}

/**
 * Removes the first entries of a chain, up to the first that is still wanted, so that it gets no gap.
 * @param before milliseconds since 1970
 * @returns of how many, at most `limit`
 */
export async function removeEntries(tx: Queryable, before: number, limit: number): Promise<number> {
  const { records } = await tx.run<{ removed: number }>(
    `CALL () {
       MATCH (c:AuditChain) WHERE c.kept < c.length
       RETURN c AS holder, c.id AS chain, c.kept AS kept
       UNION ALL
       MATCH (l:Ledger) WHERE l.auditLength > coalesce(l.auditKept, 0)
       RETURN l AS holder, 'updates:' + l.tenant AS chain, coalesce(l.auditKept, 0) AS kept
     }
     MATCH (first:AuditEntry {chain: chain, sequence: kept + 1}) WHERE first.at < $before
       AND NOT EXISTS { MATCH (l:Ledger) WHERE l.heldUntil > datetime() }
     WITH holder, chain, kept LIMIT 1
     CALL (chain, kept) {
       MATCH (e:AuditEntry {chain: chain}) WHERE e.sequence > kept
       WITH e ORDER BY e.sequence LIMIT $limit
       RETURN collect(e) AS oldest
     }
     WITH holder, oldest, [e IN oldest WHERE e.at >= $before | e.sequence][0] AS wanted
     WITH holder, [e IN oldest WHERE wanted IS NULL OR e.sequence < wanted] AS due
     WITH holder, due, due[-1].sequence AS kept, due[-1].hash AS anchor
     FOREACH (_ IN CASE WHEN holder:AuditChain THEN [1] ELSE [] END | SET holder.kept = kept, holder.anchor = anchor)
     FOREACH (_ IN CASE WHEN holder:Ledger THEN [1] ELSE [] END |
       SET holder.auditKept = kept, holder.auditAnchor = anchor)
     WITH due UNWIND due AS e
     DETACH DELETE e
     RETURN count(*) AS removed`,
    { before: dateTime(before), limit: neo4j.int(limit) },
  );
  return records[0]?.get('removed') ?? 0;
}
