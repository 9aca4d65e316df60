import { fixedPlan, type Queryable } from '../../graph/database/queryable.ts';
import { duration } from '../../graph/statements/values.ts';
import type { TaskKey } from '../nodes/taskNodes.ts';

/**
 * Takes an id for a task that its owner begins. Of those who want one id at once, on whatever replica, one gets it. A
 * claim whose task is not written within `leaseMs` is void, for its replica died. An id is not to be had again once its
 * task was removed and left a node for provenance, nor where an update names it as its task: one that a replica made
 * just before it died must not be made again.
 */
export async function claimTask(
  tx: Queryable,
  { tenant, id }: TaskKey,
  { owner, leaseMs, claim }: { owner: string; leaseMs: number; claim: string },
): Promise<'claimed' | 'known' | 'under-way'> {
  const { records } = await tx.run<{ claimed: boolean; isUnderWay: boolean }>(
    `${fixedPlan} MERGE (t:Task {tenant: $tenant, id: $id})
     SET t.updatedAt = datetime()
     WITH t, CASE
         WHEN t.claim = $claim THEN true
         WHEN t.state IS NOT NULL THEN false
         WHEN EXISTS { (t)-[:MADE]->() } THEN false
         WHEN t.claimedUntil IS NOT NULL THEN t.owner = $owner AND t.claimedUntil < datetime()
         ELSE t.owner IS NULL
       END AS claimed
     FOREACH (_ IN CASE WHEN claimed THEN [1] ELSE [] END |
       SET t.owner = $owner, t.claim = $claim, t.claimedUntil = datetime() + $lease)
     RETURN claimed, coalesce(t.state IS NULL AND t.owner = $owner AND t.claimedUntil > datetime(), false) AS isUnderWay`,
    { tenant, id, owner, claim, lease: duration(leaseMs) },
  );
  const row = records[0]?.toObject();
  if (row?.claimed) return 'claimed';
  return row?.isUnderWay ? 'under-way' : 'known';
}
