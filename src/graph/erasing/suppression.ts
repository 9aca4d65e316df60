import { createHmac } from 'node:crypto';
import { getOrInsert } from '../../base/getOrInsert.ts';
import { fixedPlan, type Queryable } from '../database/queryable.ts';
import { isLiteral, type Statement } from '../statements/statement.ts';
import { dateTime } from '../statements/values.ts';

/** What a purge has erased, or would: an entity, or its statements with one predicate. */
interface Suppressed {
  subject: string;
  predicate?: string;
}

/** How the statements are known that would bring back what was erased. Without one, nothing is suppressed. */
export interface Suppression {
  /** The service's secrets: the first one writes, and all are tried. */
  keys: readonly string[];
  /** What becomes of them. */
  mode: 'review' | 'refuse';
}

/**
 * What the graph keeps of what must not come back: HMAC-SHA-256, under the service's key, of the JSON array of tenant,
 * subject and predicate (or null). Without the key, which the database doesn't hold, no guess can be told from another;
 * nor does it fit another tenant.
 */
function suppressionIdOf(key: string, tenant: string, { subject, predicate }: Suppressed): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(['suppression', tenant, subject, predicate ?? null]))
    .digest('base64url');
}

/** Tells keys apart in the graph, and nothing of them. */
function nameOf(key: string): string {
  return createHmac('sha256', key).update('suppression key').digest('base64url').slice(0, 12);
}

/** Tells of each statement under which ids it would be suppressed; each hash is made once. */
export class SuppressionIds {
  private readonly made = new Map<string, string[]>();

  constructor(
    private readonly keys: readonly string[],
    private readonly tenant: string,
  ) {}

  of({ subject, predicate, object }: Statement): string[] {
    return [
      ...this.ids(subject.id),
      ...this.ids(subject.id, predicate.id),
      ...(isLiteral(object) ? [] : this.ids(object.id)),
    ];
  }

  private ids(subject: string, predicate?: string): string[] {
    return getOrInsert(this.made, JSON.stringify([subject, predicate]), () =>
      this.keys.map((key) => suppressionIdOf(key, this.tenant, { subject, predicate })),
    );
  }
}

/**
 * Puts it on the list under the first key, in a transaction that holds the tenant's ledger, which counts what is on the
 * list. What is on it under another key moves to this one.
 */
export async function suppress(
  tx: Queryable,
  tenant: string,
  { keys: [key = '', ...older] }: Suppression,
  what: Suppressed,
  at: number,
): Promise<void> {
  await tx.run(
    `${fixedPlan} MATCH (l:Ledger {tenant: $tenant}) USING INDEX SEEK l:Ledger(tenant)
     MERGE (s:Suppression {id: $id})
     ON CREATE SET s.tenant = $tenant, s.since = $at, l.suppressions = coalesce(l.suppressions, 0) + 1
     SET s.key = $key`,
    { tenant, id: suppressionIdOf(key, tenant, what), key: nameOf(key), at: dateTime(at) },
  );
  await takeOff(tx, tenant, older, what);
}

/**
 * Takes it off the list again, in such a transaction.
 * @returns whether it was there
 */
export async function lift(tx: Queryable, tenant: string, { keys }: Suppression, what: Suppressed): Promise<boolean> {
  return (await takeOff(tx, tenant, keys, what)) > 0;
}

async function takeOff(tx: Queryable, tenant: string, keys: readonly string[], what: Suppressed): Promise<number> {
  if (keys.length === 0) return 0;
  const { records } = await tx.run<{ count: number }>(
    `${fixedPlan} UNWIND $in.ids AS id MATCH (s:Suppression {id: id}) USING INDEX SEEK s:Suppression(id)
     MATCH (l:Ledger {tenant: $tenant}) USING INDEX SEEK l:Ledger(tenant)
     SET l.suppressions = l.suppressions - 1
     DELETE s RETURN count(*) AS count`,
    { tenant, in: { ids: keys.map((key) => suppressionIdOf(key, tenant, what)) } },
  );
  return records[0]?.get('count') ?? 0;
}

/**
 * How many entries of the list, of all tenants, are under no key but an older one, and under none of these: what they
 * kept away may come back. Entries of before keys were told apart are not counted.
 */
export async function countByKey(
  tx: Queryable,
  [first, ...older]: readonly string[],
): Promise<{ older: number; unknown: number }> {
  const { records } = await tx.run<{ older: number; unknown: number }>(
    `MATCH (s:Suppression) WHERE s.key IS NOT NULL AND NOT s.key IN $first
     RETURN count(CASE WHEN s.key IN $older THEN 1 END) AS older,
       count(CASE WHEN NOT s.key IN $older THEN 1 END) AS unknown`,
    { first: first === undefined ? [] : [nameOf(first)], older: older.map(nameOf) },
  );
  return { older: records[0]?.get('older') ?? 0, unknown: records[0]?.get('unknown') ?? 0 };
}

/** Those of these ids that are on the list. */
export async function findSuppressed(tx: Queryable, ids: string[]): Promise<Set<string>> {
  const { records } = await tx.run<{ id: string }>(
    `${fixedPlan} UNWIND $in.ids AS id MATCH (s:Suppression {id: id}) USING INDEX SEEK s:Suppression(id) RETURN id`,
    { in: { ids } },
  );
  return new Set(records.map((record) => record.get('id')));
}
