import { fixedPlan, type Queryable } from '../../graph/database/queryable.ts';
import { duration } from '../../graph/statements/values.ts';
import { keyText, type TaskKey } from '../nodes/taskNodes.ts';

/*
 * A claim is a lease on a task that isn't executed yet: its replica renews it as it does that of a task that runs, and
 * another gives back the claims of one that died. The first status that is written of the task takes its place.
 */

/** Who claims, for how long, and by which call: the driver may run a transaction twice. */
export interface Claiming {
  replica: string;
  leaseMs: number;
  claim: string;
}

const taking = `SET t.claim = $claim, t.replica = $replica, t.leaseUntil = datetime() + $lease`;

/**
 * Takes an id for a task that its owner begins. Of those who want one id at once, on whatever replica, one gets it. An
 * id is not to be had again once its task was removed and left a node for provenance, nor where an update names it as
 * its task: one that a replica made just before it died must not be made again.
 */
export async function claimTask(
  tx: Queryable,
  key: TaskKey,
  claiming: Claiming & { owner: string },
): Promise<ClaimOutcome> {
  const outcomes = await claimTasks(tx, [key], claiming);
  return outcomes.get(keyText(key)) ?? 'known';
}

/** What became of the wish to begin a task under an id. */
export type ClaimOutcome = 'claimed' | 'known' | 'under-way';

/** Takes several ids, as one is taken. @returns what became of each, by its key as text */
export async function claimTasks(
  tx: Queryable,
  keys: readonly TaskKey[],
  { owner, leaseMs, ...claiming }: Claiming & { owner: string },
): Promise<Map<string, ClaimOutcome>> {
  const { records } = await tx.run<TaskKey & { claimed: boolean; isUnderWay: boolean }>(
    `${fixedPlan} UNWIND $in.keys AS each
     MERGE (t:Task {tenant: each.tenant, id: each.id})
     SET t.updatedAt = datetime()
     WITH t, CASE
         WHEN t.claim = $claim THEN true
         WHEN t.state IS NOT NULL THEN false
         WHEN EXISTS { (t)-[:MADE]->() } THEN false
         WHEN t.leaseUntil IS NOT NULL THEN t.owner = $owner AND t.leaseUntil < datetime()
         ELSE t.owner IS NULL
       END AS claimed
     FOREACH (_ IN CASE WHEN claimed THEN [1] ELSE [] END | ${taking}, t.owner = $owner)
     RETURN t.tenant AS tenant, t.id AS id, claimed,
       coalesce(t.state IS NULL AND t.owner = $owner AND t.leaseUntil > datetime(), false) AS isUnderWay`,
    {
      ...{ owner, ...claiming, lease: duration(leaseMs) },
      in: { keys: keys.map(({ tenant, id }) => ({ tenant, id })).toSorted(byKey) },
    },
  );
  return new Map(
    records.map((record) => {
      const { claimed, isUnderWay, ...key } = record.toObject();
      return [keyText(key), claimed ? 'claimed' : isUnderWay ? 'under-way' : 'known'];
    }),
  );
}

/** In one order everywhere, so that two replicas don't wait for one another. */
const byKey = (one: TaskKey, other: TaskKey) => (keyText(one) < keyText(other) ? -1 : 1);

/**
 * Takes the turn to go on with a task that waits for its agent.
 * @returns whether it was to be had: not where the task goes on already, or another call has taken it
 */
export async function claimTurn(
  tx: Queryable,
  { tenant, id }: TaskKey,
  { leaseMs, ...claiming }: Claiming,
): Promise<boolean> {
  const { records } = await tx.run<{ claimed: boolean }>(
    `${fixedPlan} MATCH (t:Task {tenant: $tenant, id: $id}) USING INDEX SEEK t:Task(tenant, id)
     SET t.updatedAt = datetime()
     WITH t, coalesce(t.claim = $claim, false)
       OR (t.state = 'INPUT_REQUIRED' AND coalesce(t.leaseUntil < datetime(), true)) AS claimed
     FOREACH (_ IN CASE WHEN claimed THEN [1] ELSE [] END | ${taking})
     RETURN claimed`,
    { tenant, id, ...claiming, lease: duration(leaseMs) },
  );
  return records[0]?.get('claimed') ?? false;
}

/**
 * Gives back those of these tasks that the replica has claimed and does not execute: of an id nothing stays, and a task
 * that waits goes on waiting.
 * @returns the others
 */
export async function releaseClaims(tx: Queryable, keys: TaskKey[], replica: string): Promise<TaskKey[]> {
  const { records } = await tx.run<TaskKey & Record<string, string>>(
    `${fixedPlan} UNWIND $in.keys AS each
     MATCH (t:Task {tenant: each.tenant, id: each.id}) USING INDEX SEEK t:Task(tenant, id)
     SET t.updatedAt = t.updatedAt
     WITH t, each WHERE t.replica = $replica AND (t.state IS NULL OR t.state = 'INPUT_REQUIRED')
     SET t.claim = null, t.replica = null, t.leaseUntil = null
     WITH t, each
     CALL (t) {
       WITH t WHERE t.state IS NULL AND NOT EXISTS { (t)-[:MADE]->() }
       OPTIONAL MATCH (t)-[:NOTIFIES]->(c)
       DETACH DELETE c, t
     }
     RETURN each.tenant AS tenant, each.id AS id`,
    { replica, in: { keys: keys.map(({ tenant, id }) => ({ tenant, id })) } },
  );
  const released = new Set(records.map((record) => keyText(record.toObject())));
  return keys.filter((key) => !released.has(keyText(key)));
}
