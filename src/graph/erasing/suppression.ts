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
  /** The service's secret. */
  key: string;
  /** What becomes of them. */
  mode: 'review' | 'refuse';
}

/**
 * What the graph keeps of what must not come back: HMAC-SHA-256, under the service's key, of the JSON array of tenant,
 * subject and predicate (or null). Without the key, which the database doesn't hold, no guess can be told from another;
 * nor does it fit another tenant.
 */
export function suppressionIdOf(key: string, tenant: string, { subject, predicate }: Suppressed): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(['suppression', tenant, subject, predicate ?? null]))
    .digest('base64url');
}

/** Tells of each statement under which ids it would be suppressed; each hash is made once. */
export class SuppressionIds {
  private readonly made = new Map<string, string>();

  constructor(
    private readonly key: string,
    private readonly tenant: string,
  ) {}

  of({ subject, predicate, object }: Statement): string[] {
    return [this.id(subject.id), this.id(subject.id, predicate.id), ...(isLiteral(object) ? [] : [this.id(object.id)])];
  }

  private id(subject: string, predicate?: string): string {
    return getOrInsert(this.made, JSON.stringify([subject, predicate]), () =>
      suppressionIdOf(this.key, this.tenant, { subject, predicate }),
    );
  }
}

/** Puts it on the list, in a transaction that holds the tenant's ledger, which counts what is on the list. */
export async function suppress(tx: Queryable, tenant: string, id: string, at: number): Promise<void> {
  await tx.run(
    `${fixedPlan} MATCH (l:Ledger {tenant: $tenant}) USING INDEX SEEK l:Ledger(tenant)
     MERGE (s:Suppression {id: $id})
     ON CREATE SET s.tenant = $tenant, s.since = $at, l.suppressions = coalesce(l.suppressions, 0) + 1`,
    { tenant, id, at: dateTime(at) },
  );
}

/**
 * Takes it off the list again, in such a transaction.
 * @returns whether it was there
 */
export async function lift(tx: Queryable, tenant: string, id: string): Promise<boolean> {
  const { records } = await tx.run<{ count: number }>(
    `${fixedPlan} MATCH (s:Suppression {id: $id}) USING INDEX SEEK s:Suppression(id)
     MATCH (l:Ledger {tenant: $tenant}) USING INDEX SEEK l:Ledger(tenant)
     SET l.suppressions = l.suppressions - 1
     DELETE s RETURN count(*) AS count`,
    { tenant, id },
  );
  return (records[0]?.get('count') ?? 0) > 0;
}

/** Those of these ids that are on the list. */
export async function findSuppressed(tx: Queryable, ids: string[]): Promise<Set<string>> {
  const { records } = await tx.run<{ id: string }>(
    `${fixedPlan} UNWIND $in.ids AS id MATCH (s:Suppression {id: id}) USING INDEX SEEK s:Suppression(id) RETURN id`,
    { in: { ids } },
  );
  return new Set(records.map((record) => record.get('id')));
}
