import neo4j, { type DateTime, isDate, isDateTime, isLocalDateTime } from 'neo4j-driver';
import type { Database } from '../database/database.ts';
import { fixedPlan, type Queryable } from '../database/queryable.ts';
import { isoOf } from '../statements/values.ts';
import type { Edit, End, NodeEdit, Properties } from './edit.ts';

/** The tenants with edits that wait, at most so many. */
export async function tenantsWithEdits(tx: Queryable, limit: number): Promise<string[]> {
  const { records } = await tx.run<{ tenant: string }>(
    `MATCH (e:DirectEdit) WITH e.tenant AS tenant LIMIT 10000 RETURN DISTINCT tenant LIMIT $limit`,
    { limit: neo4j.int(limit) },
  );
  return records.map((record) => record.get('tenant'));
}

/**
 * Whether somebody is writing in many transactions one after another, as far as Concord's user is shown what others run.
 */
export async function isBeingLoaded(database: Pick<Database, 'run' | 'name'>): Promise<boolean> {
  const rows = await database.run<{ running: number }>(
    'READ',
    `SHOW TRANSACTIONS YIELD database, currentQuery, metaData
     WHERE database = $database AND coalesce(metaData.app, '') <> 'concord'
       AND any(word IN [' transactions', 'apoc.periodic'] WHERE toLower(currentQuery) CONTAINS word)
     RETURN count(*) AS running`,
    { database: database.name },
  );
  return (rows[0]?.running ?? 0) > 0;
}

/** How many edits of each of these tenants there have been. */
export async function editsMade(tx: Queryable, tenants: string[]): Promise<Map<string, number>> {
  const { records } = await tx.run<{ tenant: string; edited: number }>(
    'UNWIND $in.tenants AS tenant MATCH (l:Ledger {tenant: tenant}) RETURN tenant, coalesce(l.edited, 0) AS edited',
    { in: { tenants } },
  );
  return new Map(records.map((record) => [record.get('tenant'), record.get('edited')]));
}

/** The number of the last of a tenant's next edits, at most `limit`; undefined where none waits. */
export async function lastOfNext(tx: Queryable, tenant: string, limit: number): Promise<number | undefined> {
  const { records } = await tx.run<{ last: number | null }>(
    `${fixedPlan} MATCH (e:DirectEdit {tenant: $tenant}) USING INDEX SEEK e:DirectEdit(tenant, number) WHERE e.number > 0
     WITH e ORDER BY e.number LIMIT $limit RETURN max(e.number) AS last`,
    { tenant, limit: neo4j.int(limit) },
  );
  return records[0]?.get('last') ?? undefined;
}

/** A tenant's edits up to a number, in their order. What they were made on is to be restored before. */
export async function readEdits(tx: Queryable, tenant: string, last: number): Promise<Edit[]> {
  const { records } = await tx.run<EditRow>(
    `${fixedPlan} MATCH (e:DirectEdit {tenant: $tenant}) USING INDEX SEEK e:DirectEdit(tenant, number)
     WHERE e.number > 0 AND e.number <= $last
     OPTIONAL MATCH (e)-[:EDIT_BEFORE]->(b)
     OPTIONAL MATCH (e)-[:EDIT_AFTER]->(a)
     OPTIONAL MATCH (s) WHERE elementId(s) = e.start
     OPTIONAL MATCH (o) WHERE elementId(o) = e.end
     OPTIONAL MATCH (l) WHERE elementId(l) = CASE WHEN e.kind = 'node' AND e.op = 'changed' THEN e.element END
     WITH e, b, a, s, o, CASE WHEN l:Literal THEN l END AS l
     OPTIONAL MATCH (l)<-[r:!PAST]-(x) WHERE x:Entity
     WITH e, b, a, s, o, collect(CASE WHEN r IS NOT NULL THEN
       {type: type(r), properties: properties(r), start: x {.id, .type, labels: labels(x)}} END)[0] AS statement
     RETURN e {.*} AS edit, properties(b) AS before, properties(a) AS after, statement,
       s {.id, .type, labels: labels(s)} AS startsAt,
       o {.id, .type, .value, .datatype, .language, labels: labels(o)} AS endsAt, s.tenant <> o.tenant AS joinsTenants
     ORDER BY e.number`,
    { tenant, last: neo4j.int(last) },
  );
  return records.map((record) => editOf(record.toObject()));
}

interface EditRow {
  [key: string]: unknown;
  edit: Record<string, unknown> & { at: DateTime<number>; client?: string };
  before: Properties | null;
  after: Properties | null;
  startsAt: NodeRow | null;
  endsAt: NodeRow | null;
  statement: { type: string; properties: Properties; start: NodeRow } | null;
  joinsTenants: boolean | null;
}

type NodeRow = Properties & { labels: string[] };

function editOf({ edit, before, after, startsAt, endsAt, statement, joinsTenants }: EditRow): Edit {
  const { at, kind, start: _, end: __, ...told } = edit;
  const common = {
    ...told,
    kind,
    at: at.toStandardDate().getTime(),
    ...(before !== null && { before: plain(before) }),
    ...(after !== null && { after: plain(after) }),
  };
  if (kind === 'relationship') {
    return { ...common, ...(joinsTenants ? { joinsTenants } : ends(startsAt, endsAt)) } as unknown as Edit;
  }
  if (kind === 'system' || statement === null) return common as unknown as Edit;
  const { properties, type, start: subject } = statement;
  return {
    ...common,
    statement: { type, properties: plain(properties), ...ends(subject, null) },
  } as unknown as NodeEdit;
}

function ends(start: NodeRow | null, end: NodeRow | null): { start?: End; end?: End } {
  const [from, to] = [start && endOf(start), end && endOf(end)];
  return { ...(from && { start: from }), ...(to && { end: to }) };
}

function endOf({ labels, id, type, value, datatype, language }: NodeRow): End | undefined {
  if (labels.includes('Literal')) {
    return {
      kind: 'literal',
      value: plainValue(value),
      ...(typeof datatype === 'string' && { datatype }),
      ...(typeof language === 'string' && { language }),
    };
  }
  if (!labels.includes('Entity') || typeof id !== 'string') return undefined;
  return { kind: 'entity', id, ...(typeof type === 'string' && { type }) };
}

const plain = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, plainValue(value)]));

/** Days and points in time become ISO 8601, as literals have them. */
function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (isDateTime(value)) return isoOf(value) ?? String(value);
  if (isDate(value) || isLocalDateTime(value)) return String(value);
  return value;
}
