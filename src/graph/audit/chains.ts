import neo4j from 'neo4j-driver';
import { fixedPlan, type Queryable } from '../database/queryable.ts';
import { dateTime } from '../statements/values.ts';
import { type AuditEntry, type ChainEnd, chained, hashOf } from './entry.ts';

/** Where another chain of the tenant ended when this one began. */
export interface ChainLink extends ChainEnd {
  chain: string;
}

/** The calls of one tenant that one replica has answered since its start. */
export interface NewChain {
  id: string;
  tenant: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  links: ChainLink[];
}

/** Chains that a new one names: of a tenant that has more, the youngest. */
const mostLinks = 50;

/** What the first entry of a chain is hashed behind: that the others are there is told by it too. */
export function genesisOf({ id, tenant, startedAt, links }: NewChain): string {
  return hashOf(JSON.stringify([id, tenant, startedAt, links.map(({ chain, length, head }) => [chain, length, head])]));
}

/** The chain of the updates of a tenant, which stands in its ledger; they queue there anyway. */
export const updateChain = (tenant: string) => `updates:${tenant}`;

/** Where the chains of a tenant end, that of its updates too. */
export async function readEnds(tx: Queryable, tenant: string): Promise<ChainLink[]> {
  const { records } = await tx.run<ChainLink>(
    `CALL () {
       MATCH (c:AuditChain {tenant: $tenant})
       RETURN c.id AS chain, c.length AS length, c.head AS head ORDER BY c.startedAt DESC LIMIT $most
       UNION ALL
       MATCH (l:Ledger {tenant: $tenant}) WHERE l.auditLength > 0
       RETURN $updates AS chain, l.auditLength AS length, l.auditHead AS head
     }
     RETURN chain, length, head`,
    { tenant, most: neo4j.int(mostLinks), updates: updateChain(tenant) },
  );
  return records.map((record) => record.toObject());
}

/** Thrown inside the transaction, so that it is rolled back: a backup is taken, and the entries are to wait. */
export class TrailHeld extends Error {
  constructor() {
    super('A backup is taken; entries of the audit trail wait');
  }
}

async function requireNotHeld(tx: Queryable): Promise<void> {
  const { records } = await tx.run<{ isHeld: boolean }>(
    `${fixedPlan} RETURN EXISTS { MATCH (l:Ledger) WHERE l.heldUntil > datetime() } AS isHeld`,
  );
  if (records[0]?.get('isHeld')) throw new TrailHeld();
}

/**
 * Adds entries to the end of a chain, which is made where it isn't there.
 * @returns where the chain ends; elsewhere than `end` says where nothing was added, for it didn't end at `before`
 * @throws TrailHeld
 */
export async function appendEntries(
  tx: Queryable,
  chain: NewChain,
  before: ChainEnd,
  { entries, end }: { entries: AuditEntry[]; end: ChainEnd },
): Promise<number> {
  const { id, tenant, startedAt } = chain;
  const genesis = genesisOf(chain);
  const begin = {
    tenant,
    startedAt: dateTime(startedAt),
    links: chain.links.map(({ chain: other, length, head }) => JSON.stringify([other, length, head])),
    ...{ length: neo4j.int(0), head: genesis, kept: neo4j.int(0), anchor: genesis },
  };
  const appending = tx.run<{ length: number }>(
    `${fixedPlan} MERGE (c:AuditChain {id: $id}) ON CREATE SET c += $begin
     WITH c, c.length = $before AND c.head = $head AS fits
     FOREACH (_ IN CASE WHEN fits THEN [1] ELSE [] END |
       SET c.length = $after, c.head = $newHead
       FOREACH (entry IN $in.entries | CREATE (e:AuditEntry) SET e = entry))
     RETURN c.length AS length`,
    {
      ...{ id, begin, before: neo4j.int(before.length), head: before.head },
      ...{ after: neo4j.int(end.length), newHead: end.head, in: { entries: entries.map(storedEntry) } },
    },
  );
  const [{ records }] = await Promise.all([appending, requireNotHeld(tx)]);
  return records[0]?.get('length') ?? 0;
}

/** What of an applied update its entry tells. */
interface AuditedUpdate {
  id: string;
  sourceAgentId: string;
  traceId?: string;
  revision: number;
  reviewedBy?: string;
}

/**
 * Adds an entry for each update to the tenant's chain of updates, in their transaction, which holds the ledger.
 * @param end where the chain ends, as the ledger has it
 * @param at milliseconds since 1970
 */
export async function recordUpdateEntries(
  tx: Queryable,
  tenant: string,
  { updates, end, at }: { updates: readonly AuditedUpdate[]; end: ChainEnd; at: number },
): Promise<void> {
  const chain = updateChain(tenant);
  const facts = updates.map(({ id, sourceAgentId, traceId, revision, reviewedBy }) => ({
    ...{ at, what: 'update', verdict: 'applied', agent: sourceAgentId, target: id, revision },
    ...(traceId !== undefined && { traceId }),
    ...(reviewedBy !== undefined && { reviewedBy }),
  }));
  const added = chained({ tenant, chain }, end, facts);
  await tx.run(
    `${fixedPlan} MATCH (l:Ledger {tenant: $tenant}) USING INDEX SEEK l:Ledger(tenant)
     SET l.auditLength = $length, l.auditHead = $head
     FOREACH (entry IN $in.entries | CREATE (e:AuditEntry) SET e = entry)`,
    {
      tenant,
      length: neo4j.int(added.end.length),
      head: added.end.head,
      in: { entries: added.entries.map(storedEntry) },
    },
  );
}

function storedEntry({ at, sequence, revision, count, ...rest }: AuditEntry) {
  return {
    ...rest,
    at: dateTime(at),
    sequence: neo4j.int(sequence),
    ...(revision !== undefined && { revision: neo4j.int(revision) }),
    ...(count !== undefined && { count: neo4j.int(count) }),
  };
}
