import neo4j from 'neo4j-driver';
import { fixedPlan, type Queryable } from '../database/queryable.ts';
import { quoted } from '../names/names.ts';
import { duration } from '../statements/values.ts';

/*
 * Which replica looks after a node: it has `replica` and `leaseUntil`, by Neo4j's clock. A replica renews its leases
 * long before they end, so one that has ended is of a replica that is gone. Nodes without a lease are nobody's to take.
 */

/** What replicas look after. */
type Leased = 'Task' | 'ChangeSubscription';

export interface LeaseKey {
  tenant: string;
  id: string;
}

interface Lessee {
  /** Which replica. */
  replica: string;
  leaseMs: number;
}

/**
 * Renews the replica's leases on these; those that aren't its own stay as they are.
 * @returns those that are its own
 */
export async function renewLeases(
  tx: Queryable,
  label: Leased,
  keys: readonly LeaseKey[],
  { replica, leaseMs }: Lessee,
): Promise<LeaseKey[]> {
  const name = quoted(label);
  const { records } = await tx.run<LeaseRow>(
    `${fixedPlan} UNWIND $in.keys AS each
     MATCH (n:${name} {tenant: each.tenant, id: each.id}) USING INDEX SEEK n:${name}(tenant, id)
     SET n.updatedAt = n.updatedAt
     WITH n WHERE n.replica = $replica AND n.leaseUntil IS NOT NULL
     SET n.leaseUntil = datetime() + $lease
     RETURN n.tenant AS tenant, n.id AS id`,
    { replica, lease: duration(leaseMs), in: { keys: keys.map(({ tenant, id }) => ({ tenant, id })) } },
  );
  return records.map((record) => record.toObject());
}

/**
 * Takes over what has a lease that was not renewed, the longest overdue first. Of several replicas that do so at once,
 * one gets a node.
 * @returns which, at most `limit`
 */
export async function takeOverLost(
  tx: Queryable,
  label: Leased,
  { replica, leaseMs, limit }: Lessee & { limit: number },
): Promise<LeaseKey[]> {
  const name = quoted(label);
  const { records } = await tx.run<LeaseRow>(
    `${fixedPlan} MATCH (n:${name}) USING INDEX SEEK n:${name}(leaseUntil) WHERE n.leaseUntil < datetime()
     WITH n ORDER BY n.leaseUntil LIMIT $limit
     SET n.updatedAt = datetime()
     WITH n WHERE n.leaseUntil < datetime()
     SET n.replica = $replica, n.leaseUntil = datetime() + $lease
     RETURN n.tenant AS tenant, n.id AS id`,
    { replica, lease: duration(leaseMs), limit: neo4j.int(limit) },
  );
  return records.map((record) => record.toObject());
}

/** Lets another replica take over a node at once, where it has a lease. */
export async function letGo(tx: Queryable, label: Leased, { tenant, id }: LeaseKey): Promise<void> {
  const name = quoted(label);
  await tx.run(
    `${fixedPlan} MATCH (n:${name} {tenant: $tenant, id: $id}) USING INDEX SEEK n:${name}(tenant, id)
     WHERE n.leaseUntil IS NOT NULL SET n.leaseUntil = datetime()`,
    { tenant, id },
  );
}

type LeaseRow = LeaseKey & Record<string, string>;
