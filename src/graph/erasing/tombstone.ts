import { createHmac, randomBytes } from 'node:crypto';
import { fixedPlan, type Queryable } from '../database/queryable.ts';
import { dateTime } from '../statements/values.ts';

/** How much was erased, where nothing was. */
export const nothing = {
  entities: 0,
  /** Current and past versions of statements. */
  statements: 0,
  pastStatements: 0,
  literals: 0,
  /** Changes of the log of which nothing, or less, is left. */
  changes: 0,
  /** Updates that lost what was said of them; among them proposals that waited. */
  updates: 0,
  proposals: 0,
  /** Statements about others that lost their provenance, for it named the entity. */
  provenances: 0,
};
export type Erased = Readonly<typeof nothing>;

/**
 * What is left of what was erased: when, by whom, how much; and, for whoever holds the receipt, a proof of what it was.
 * Without the receipt, which the database doesn't hold, not even a good guess can be told from a bad one.
 */
export interface Tombstone {
  /**
   * HMAC-SHA-256, under the receipt, of the JSON array of tenant, subject and predicate (or null): 43 characters of
   * base64url.
   */
  id: string;
  tenant: string;
  erasedBy: string;
}

/** 43 characters of base64url. */
export function newReceipt(): string {
  return randomBytes(32).toString('base64url');
}

export function tombstoneOf(
  receipt: string,
  { tenant, erasedBy, ...what }: { tenant: string; erasedBy: string; subject: string; predicate?: string },
): Tombstone {
  const id = createHmac('sha256', receipt)
    .update(JSON.stringify([tenant, what.subject, what.predicate ?? null]))
    .digest('base64url');
  return { id, tenant, erasedBy };
}

/**
 * Adds what a transaction has erased to the tombstone, in the same transaction: what it says holds however often a
 * purge is cut short.
 */
export async function addToTombstone(
  tx: Queryable,
  { id, ...rest }: Tombstone,
  erased: Erased,
  at: number,
): Promise<void> {
  const counts = Object.keys(nothing).map((name) => `t.${name} = coalesce(t.${name}, 0) + toInteger($erased.${name})`);
  await tx.run(
    `${fixedPlan} MERGE (t:Tombstone {id: $id}) ON CREATE SET t += $rest, t.startedAt = $at SET ${counts.join(', ')}`,
    { id, rest, erased, at: dateTime(at) },
  );
}

/** What a purge has erased in all; undefined where it has erased nothing. */
export async function readTombstone(
  tx: Queryable,
  { id }: Tombstone,
): Promise<{ erased: Erased; isFinished: boolean } | undefined> {
  const { records } = await tx.run<{ erased: Erased; isFinished: boolean }>(
    `${fixedPlan} MATCH (t:Tombstone {id: $id}) USING INDEX SEEK t:Tombstone(id)
     RETURN t {${Object.keys(nothing)
       .map((name) => `.${name}`)
       .join(', ')}} AS erased, t.erasedAt IS NOT NULL AS isFinished`,
    { id },
  );
  return records[0]?.toObject();
}

/** Ends a purge: readers and caches see a new revision. */
export async function finishTombstone(tx: Queryable, { id, tenant }: Tombstone, at: number): Promise<void> {
  await tx.run(
    `${fixedPlan} MATCH (t:Tombstone {id: $id}) USING INDEX SEEK t:Tombstone(id) SET t.erasedAt = $at
     WITH t MATCH (l:Ledger {tenant: $tenant}) USING INDEX SEEK l:Ledger(tenant) SET l.revision = l.revision + 1`,
    { id, tenant, at: dateTime(at) },
  );
}
