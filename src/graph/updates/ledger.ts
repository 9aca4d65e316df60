import neo4j from 'neo4j-driver';
import { refuse } from '../../base/reasons.ts';
import type { ChainEnd } from '../audit/entry.ts';
import { fixedPlan, type Queryable } from '../database/queryable.ts';
import { dateTime } from '../statements/values.ts';
import type { Change } from './changeLog.ts';
import {
  type StoredUpdate,
  storedUpdate,
  type UpdateKey,
  type UpdateRecord,
  type UpdateStatus,
  updateRecordOf,
} from './updateRecord.ts';

/** After which who is refused while writes are held is to come again. */
const heldRetryMs = 2_000;

/** Where a tenant's graph stands. */
export interface Ledger {
  /** Number of updates applied, and of purges. */
  revision: number;
  /** Number of the last change in the log; changes count from 1 without a gap. */
  sequence: number;
  /** What must not come back after purges, if anything. */
  suppressions?: number;
  /** Edits by hand that wait to be taken, if any. */
  waitingEdits?: number;
  /** Where the audit trail of its updates ends. */
  audit?: ChainEnd;
  /** The time of the last change, in milliseconds since 1970; no later change has an earlier one. */
  changedAt?: number;
}

/**
 * Takes the tenant's ledger, on which all its updates queue until the transaction ends. This makes rules exact under
 * concurrency and sequence numbers gapless.
 * @throws ConcordError `writes-held` while a backup is taken
 */
export async function lockLedger(tx: Queryable, tenant: string): Promise<Ledger> {
  const { records } = await tx.run<LedgerRow>(
    `${fixedPlan} MERGE (l:Ledger {tenant: $tenant})
     ON CREATE SET l.revision = 0, l.sequence = 0
     SET l.lockedAt = datetime()
     RETURN l.revision AS revision, l.sequence AS sequence, l.suppressions AS suppressions,
       l.edited - coalesce(l.editsTaken, 0) AS waitingEdits, l.changedAt.epochMillis AS changedAt,
       coalesce(l.auditLength, 0) AS auditLength, coalesce(l.auditHead, '') AS auditHead,
       coalesce(l.heldUntil > datetime(), false) AS isHeld`,
    { tenant },
  );
  const ledger = records[0]?.toObject();
  if (ledger === undefined) throw new Error('The ledger could not be locked');
  const { suppressions, waitingEdits, changedAt, auditLength, auditHead, isHeld, ...place } = ledger;
  if (isHeld) {
    const message = 'A backup is taken; nothing was written. Send it again.';
    throw refuse('writes-held', message, { retryAfterMs: heldRetryMs });
  }
  return {
    ...place,
    ...(auditLength > 0 && { audit: { length: auditLength, head: auditHead } }),
    ...(suppressions && { suppressions }),
    ...(waitingEdits && { waitingEdits }),
    ...(changedAt !== null && { changedAt }),
  };
}

interface LedgerRow {
  revision: number;
  sequence: number;
  suppressions: number | null;
  waitingEdits: number | null;
  changedAt: number | null;
  auditLength: number;
  auditHead: string;
  isHeld: boolean;
}

/** Where a tenant's graph stands; nothing is locked. */
export async function readLedger(tx: Queryable, tenant: string): Promise<Pick<Ledger, 'revision' | 'sequence'>> {
  const { records } = await tx.run<{ revision: number; sequence: number }>(
    `${fixedPlan} MATCH (l:Ledger {tenant: $tenant}) USING INDEX SEEK l:Ledger(tenant)
     RETURN l.revision AS revision, l.sequence AS sequence`,
    { tenant },
  );
  return records[0]?.toObject() ?? { revision: 0, sequence: 0 };
}

/** The update of this id. */
export async function findUpdate(tx: Queryable, tenant: string, id: string): Promise<UpdateRecord | undefined> {
  return (await findUpdates(tx, tenant, [{ id, sourceAgentId: '' }], 0))[0];
}

/**
 * The update of each of these ids, or of that agent's idempotency key, where there is one.
 * @param keysSince milliseconds since 1970: a key of an update that was proposed before counts as new
 */
export async function findUpdates(
  tx: Queryable,
  tenant: string,
  keys: UpdateKey[],
  keysSince: number,
): Promise<(UpdateRecord | undefined)[]> {
  const { records } = await tx.run<{ index: number; update: StoredUpdate }>(
    `${fixedPlan}
     UNWIND $in.keys AS key
     OPTIONAL MATCH (byId:Update {id: key.id}) USING INDEX SEEK byId:Update(id) WHERE byId.tenant = $tenant
     OPTIONAL MATCH (byKey:Update {tenant: $tenant, sourceAgentId: key.sourceAgentId, idempotencyKey: key.idempotencyKey})
       USING INDEX SEEK byKey:Update(tenant, sourceAgentId, idempotencyKey)
       WHERE byKey.proposedAt >= $keysSince
     WITH key, coalesce(byId, byKey) AS u WHERE u IS NOT NULL
     RETURN key.index AS index, u {.*} AS update`,
    {
      tenant,
      keysSince: dateTime(keysSince),
      in: {
        keys: keys.map(({ id, sourceAgentId, idempotencyKey }, index) => ({
          index: neo4j.int(index),
          id,
          sourceAgentId,
          idempotencyKey: idempotencyKey ?? null,
        })),
      },
    },
  );
  const found = new Map(records.map((record) => [record.get('index'), record.get('update')]));
  return keys.map((_, index) => {
    const stored = found.get(index);
    return stored && updateRecordOf(stored);
  });
}

/** The tenant's updates of one status, oldest first, at most `first` after the update `after`. */
export async function listUpdates(
  tx: Queryable,
  tenant: string,
  { status, first, after }: { status: UpdateStatus; first: number; after?: string },
): Promise<UpdateRecord[]> {
  const { records } = await tx.run<{ update: StoredUpdate }>(
    `OPTIONAL MATCH (cursor:Update {id: $after}) WHERE cursor.tenant = $tenant
     WITH coalesce(cursor.proposedAt, datetime({epochMillis: 0})) AS since, coalesce(cursor.id, '') AS last
     MATCH (u:Update {tenant: $tenant, status: $status})
     WHERE u.proposedAt > since OR u.proposedAt = since AND u.id > last
     RETURN u {.*} AS update ORDER BY u.proposedAt, u.id LIMIT $first`,
    { tenant, status, first: neo4j.int(first), after: after ?? null },
  );
  return records.map((record) => updateRecordOf(record.get('update')));
}

/**
 * Writes updates with their agents and tasks, or brings existing ones (proposals under review) up to date. A key that
 * is to be used again is taken from the update that had it before.
 * @param keysSince as `findUpdates` was told
 */
export async function recordUpdates(
  tx: Queryable,
  tenant: string,
  updates: UpdateRecord[],
  keysSince: number,
): Promise<void> {
  await tx.run(
    `${fixedPlan} UNWIND $in.updates AS each
     OPTIONAL MATCH (old:Update {tenant: $tenant, sourceAgentId: each.sourceAgentId, idempotencyKey: each.idempotencyKey})
       USING INDEX SEEK old:Update(tenant, sourceAgentId, idempotencyKey)
       WHERE old.proposedAt < $keysSince AND old.id <> each.id
     SET old.idempotencyKey = null
     MERGE (a:Agent {tenant: $tenant, id: each.sourceAgentId})
     MERGE (u:Update {id: each.id})
     ON CREATE SET u.tenant = $tenant, u.sourceAgentId = each.sourceAgentId, u.proposedAt = each.proposedAt, u.taskId = each.taskId,
       u.idempotencyKey = each.idempotencyKey
     MERGE (a)-[:PROPOSED]->(u)
     SET u += each.properties, u.proposal = each.proposal
     FOREACH (_ IN CASE WHEN each.taskId IS NULL THEN [] ELSE [1] END |
       MERGE (t:Task {tenant: $tenant, id: each.taskId})
       MERGE (t)-[:MADE]->(u))`,
    { tenant, keysSince: dateTime(keysSince), in: { updates: updates.map(storedUpdate) } },
  );
}

/**
 * Takes the idempotency keys from the updates of all tenants that were proposed before `keysSince`, the oldest first.
 * The index holds only updates that have a key, so this costs what there is to be let go.
 * @returns of how many, at most `limit`
 */
export async function releaseKeys(tx: Queryable, keysSince: number, limit: number): Promise<number> {
  const { records } = await tx.run<{ released: number }>(
    `${fixedPlan} MATCH (u:Update) USING INDEX SEEK u:Update(proposedAt, idempotencyKey)
     WHERE u.proposedAt < $keysSince AND u.idempotencyKey IS NOT NULL
     WITH u ORDER BY u.proposedAt LIMIT $limit
     SET u.idempotencyKey = null
     RETURN count(*) AS released`,
    { keysSince: dateTime(keysSince), limit: neo4j.int(limit) },
  );
  return records[0]?.get('released') ?? 0;
}

/** The changes of one update. */
interface UpdateChanges {
  updateId: string;
  changes: Omit<Change, 'sequence'>[];
}

/**
 * Appends the changes of updates to the log, in their order, and moves the ledger on.
 * @param ledger as it was
 * @param at milliseconds since 1970
 */
export async function recordChanges(
  tx: Queryable,
  tenant: string,
  { ledger, updates, at }: { ledger: Pick<Ledger, 'revision' | 'sequence'>; updates: UpdateChanges[]; at: number },
): Promise<void> {
  let { sequence } = ledger;
  const rows = updates.map(({ updateId, changes }) => ({
    updateId,
    changes: changes.map(({ changeId, op, statement, previous }) => {
      sequence += 1;
      // Lists: there are thousands, and the names of a map's members would travel with each.
      return [
        neo4j.int(sequence),
        changeId,
        op,
        JSON.stringify(statement),
        previous === undefined ? null : JSON.stringify(previous),
      ];
    }),
  }));
  await tx.run(
    `${fixedPlan}
     MATCH (l:Ledger {tenant: $tenant}) USING INDEX SEEK l:Ledger(tenant)
     SET l.revision = $revision, l.sequence = $sequence, l.changedAt = $at
     WITH l UNWIND $in.updates AS each
     MATCH (u:Update {id: each.updateId}) USING INDEX SEEK u:Update(id)
     UNWIND each.changes AS change
     CREATE (u)-[:CONTAINS]->(:Change {tenant: $tenant, sequence: change[0], changeId: change[1], op: change[2], statement: change[3],
       previous: change[4], timestamp: $at})`,
    {
      tenant,
      at: dateTime(at),
      revision: neo4j.int(ledger.revision + updates.length),
      sequence: neo4j.int(sequence),
      in: { updates: rows },
    },
  );
}
