import neo4j, { type DateTime } from 'neo4j-driver';
import type { Queryable } from '../database/queryable.ts';

/** A change as it stands in the log, whatever is wrong with it. */
export interface LogRow {
  [key: string]: unknown;
  sequence: number;
  op: string | null;
  /** JSON text; absent of what was erased. */
  statement: string | null;
  erased: true | null;
  timestamp: DateTime<number> | null;
  /** Of the update that made it; null where there is none. */
  updateId: string | null;
  revision: number | null;
  sourceAgentId: string | null;
  taskId: string | null;
}

/** The tenant's changes after a sequence number, in sequence, also those that belong to no update. */
export async function logAfter(
  tx: Queryable,
  tenant: string,
  { after, limit }: { after: number; limit: number },
): Promise<LogRow[]> {
  const { records } = await tx.run<LogRow>(
    `MATCH (c:Change {tenant: $tenant}) WHERE c.sequence > $after
     WITH c ORDER BY c.tenant, c.sequence LIMIT $limit
     OPTIONAL MATCH (u:Update)-[:CONTAINS]->(c)
     WITH c, collect(u)[0] AS u
     RETURN c.sequence AS sequence, c.op AS op, c.statement AS statement, c.erased AS erased, c.timestamp AS timestamp,
       u.id AS updateId, u.revision AS revision, u.sourceAgentId AS sourceAgentId, u.taskId AS taskId
     ORDER BY sequence`,
    { tenant, after: neo4j.int(after), limit: neo4j.int(limit) },
  );
  return records.map((record) => record.toObject());
}

/** What an update's changes said of a subject, as JSON texts in sequence. */
export async function changesOfUpdate(tx: Queryable, updateId: string, subject: string): Promise<LogRow[]> {
  const { records } = await tx.run<LogRow>(
    `MATCH (u:Update {id: $updateId})-[:CONTAINS]->(c:Change) WHERE c.statement CONTAINS $subject
     RETURN c.sequence AS sequence, c.op AS op, c.statement AS statement, c.erased AS erased, c.timestamp AS timestamp,
       u.id AS updateId, u.revision AS revision, u.sourceAgentId AS sourceAgentId, u.taskId AS taskId
     ORDER BY sequence`,
    { updateId, subject: JSON.stringify(subject) },
  );
  return records.map((record) => record.toObject());
}

/** What a gap is filled with. */
interface Filling {
  /** The update that stands for it. */
  updateId: string;
  sourceAgentId: string;
  justification: string;
  revision: number;
}

/**
 * Puts erased changes in the places of a log that have none, and gives an update to those that have none, so that
 * listeners come by them: what they said is not known any more.
 */
export async function fillLog(
  tx: Queryable,
  tenant: string,
  { missing, orphans }: { missing: number[]; orphans: number[] },
  { updateId, revision, ...said }: Filling,
): Promise<void> {
  await tx.run(
    `CREATE (u:Update {id: $updateId, tenant: $tenant, status: 'applied', proposedAt: datetime(), statementsAffected: 0,
       affectedIds: [], revision: $revision}) SET u += $said
     MERGE (a:Agent {tenant: $tenant, id: $said.sourceAgentId})
     CREATE (a)-[:PROPOSED]->(u)
     WITH u
     CALL (u) {
       UNWIND $in.missing AS sequence
       CALL (sequence) {
         OPTIONAL MATCH (c:Change {tenant: $tenant}) WHERE c.sequence < sequence
         RETURN c.timestamp AS at ORDER BY c.tenant DESC, c.sequence DESC LIMIT 1
       }
       CREATE (u)-[:CONTAINS]->(:Change {tenant: $tenant, sequence: sequence, changeId: randomUUID(), erased: true,
         timestamp: coalesce(at, datetime())})
     }
     CALL (u) {
       UNWIND $in.orphans AS sequence
       MATCH (c:Change {tenant: $tenant, sequence: sequence})
       CREATE (u)-[:CONTAINS]->(c)
     }`,
    {
      tenant,
      updateId,
      said,
      revision: neo4j.int(revision),
      in: { missing: missing.map((each) => neo4j.int(each)), orphans: orphans.map((each) => neo4j.int(each)) },
    },
  );
}

/** The tenants that have a ledger. */
export async function tenantsWithLedger(tx: Queryable): Promise<string[]> {
  const { records } = await tx.run<{ tenant: string }>('MATCH (l:Ledger) RETURN l.tenant AS tenant ORDER BY tenant');
  return records.map((record) => record.get('tenant'));
}

/** The highest revision that an update of the tenant tells of. */
export async function highestRevision(tx: Queryable, tenant: string): Promise<number> {
  const { records } = await tx.run<{ revision: number | null }>(
    'MATCH (u:Update {tenant: $tenant}) RETURN max(u.revision) AS revision',
    { tenant },
  );
  return records[0]?.get('revision') ?? 0;
}

/** Sets where a ledger stands that says less than its log does. */
export async function raiseLedger(
  tx: Queryable,
  tenant: string,
  { sequence, revision }: { sequence: number; revision: number },
): Promise<void> {
  await tx.run('MATCH (l:Ledger {tenant: $tenant}) SET l.sequence = $sequence, l.revision = $revision', {
    tenant,
    sequence: neo4j.int(sequence),
    revision: neo4j.int(revision),
  });
}
