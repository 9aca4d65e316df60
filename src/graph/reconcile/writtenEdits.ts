import neo4j from 'neo4j-driver';
import type { Queryable } from '../database/queryable.ts';
import { fixedPlan } from '../database/queryable.ts';
import { highestCertainty } from '../names/names.ts';
import { isLiteral, type LiteralObject, type Statement } from '../statements/statement.ts';
import { literalValue } from '../statements/values.ts';

/** An edit by hand that nobody saw, in the form in which a source of edits writes it down. */
export interface UnseenEdit {
  kind: 'node' | 'relationship';
  op: 'created' | 'changed' | 'deleted';
  /** Neo4j's id of the element. */
  element: string;
  type?: string;
  start?: string;
  end?: string;
  /** Of a node; absent of one that was made, which tells its own. */
  labelsBefore?: readonly string[];
  labelsAfter?: readonly string[];
  /** Of what was changed: what of it was otherwise before, and what it was; null is nothing. Values as the driver takes them. */
  correction?: Record<string, unknown>;
  /** Of what was deleted: all that it was. */
  before?: Record<string, unknown>;
}

/** As whom edits are stated of which nobody knows who made them: `direct:reconcile`. */
const user = 'reconcile';

/**
 * Writes edits down to be taken, inside a transaction that holds the tenant's ledger.
 * @param transaction of which all of them are; they become one update
 */
export async function writeEdits(
  tx: Queryable,
  tenant: string,
  edits: UnseenEdit[],
  transaction: string,
): Promise<void> {
  if (edits.length === 0) return;
  await tx.run(
    `${fixedPlan} MATCH (l:Ledger {tenant: $tenant}) USING INDEX SEEK l:Ledger(tenant)
     SET l.edited = coalesce(l.edited, 0) + size($in.edits)
     WITH l.edited - size($in.edits) AS last
     UNWIND range(0, size($in.edits) - 1) AS index
     WITH last + index + 1 AS number, $in.edits[index] AS edit
     OPTIONAL MATCH (n) WHERE elementId(n) = CASE edit.kind WHEN 'node' THEN edit.element END
     OPTIONAL MATCH ()-[r]->() WHERE elementId(r) = CASE edit.kind WHEN 'relationship' THEN edit.element END
     WITH number, edit, n, coalesce(properties(n), properties(r), {}) AS is
     CREATE (e:DirectEdit {tenant: $tenant, number: number, transaction: $transaction, user: $user, at: datetime(), isSeenLate: true,
       client: 'concord reconcile', kind: edit.kind, op: edit.op, element: edit.element, type: edit.type,
       start: edit.start, end: edit.end, labelsBefore: coalesce(edit.labelsBefore, CASE WHEN n IS NOT NULL THEN [] END),
       labelsAfter: coalesce(edit.labelsAfter, labels(n))})
     FOREACH (_ IN CASE WHEN edit.op <> 'created' THEN [1] ELSE [] END |
       CREATE (e)-[:EDIT_BEFORE]->(b:DirectEditState)
       SET b = coalesce(edit.before, is), b += coalesce(edit.correction, {}))
     FOREACH (_ IN CASE WHEN edit.op <> 'deleted' THEN [1] ELSE [] END |
       CREATE (e)-[:EDIT_AFTER]->(a:DirectEditState) SET a = is)`,
    { tenant, transaction, user, in: { edits } },
  );
}

/** What a statement joined whose edge is gone: made where that is gone as well. @returns Neo4j's ids of both */
export async function endsOf(
  tx: Queryable,
  tenant: string,
  { subject, object }: Statement,
  labelOf: (type: string) => string | undefined,
): Promise<{ start: string; end: string }> {
  const entity = async (id: string, type: string | undefined) => {
    const label = type === undefined ? undefined : labelOf(type);
    return idIn(
      tx,
      `MERGE (n:Entity {tenant: $tenant, id: $id})
       ON CREATE SET n.type = $type, n.${highestCertainty} = 0, n:$($labels)
       RETURN elementId(n) AS element`,
      { tenant, id, type: type ?? null, labels: label === undefined ? [] : [label] },
    );
  };
  const literal = ({ value, type, language }: LiteralObject) =>
    idIn(
      tx,
      `CREATE (n:Literal {tenant: $tenant, value: $value, datatype: $type, language: $language})
       RETURN elementId(n) AS element`,
      { tenant, value: literalValue({ value, type }), type, language: language ?? null },
    );
  const start = await entity(subject.id, subject.type);
  return { start, end: isLiteral(object) ? await literal(object) : await entity(object.id, object.type) };
}

async function idIn(tx: Queryable, query: string, parameters: Record<string, unknown>): Promise<string> {
  const { records } = await tx.run<{ element: string }>(query, parameters);
  return records[0]?.get('element') ?? '';
}

/** As a whole number of Neo4j. */
export const integer = (value: number) => neo4j.int(value);
