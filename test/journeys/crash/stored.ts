import type { Database } from '../../../src/graph/database/database.ts';
import { sorted, type Told, withoutNulls } from '../../knowledge/model/readings.ts';

export interface StoredUpdate {
  id: string;
  status: string;
  agent: string;
  idempotencyKey: string | null;
  revision: number;
  statementsAffected: number;
  affectedIds: string[];
  /** Of its changes, in no order. */
  sequences: number[];
}

/** All updates of a tenant, by revision. */
export function updatesOf(database: Database, tenant: string): Promise<StoredUpdate[]> {
  return database.run(
    'READ',
    `MATCH (u:Update {tenant: $tenant})
     RETURN u.id AS id, u.status AS status, u.sourceAgentId AS agent, u.idempotencyKey AS idempotencyKey, u.revision AS revision,
       u.statementsAffected AS statementsAffected, u.affectedIds AS affectedIds, [(u)-[:CONTAINS]->(c) | c.sequence] AS sequences
     ORDER BY u.revision`,
    { tenant },
  );
}

export async function ledgerOf(database: Database, tenant: string): Promise<{ revision?: number; sequence?: number }> {
  const ledgers = await database.run<{ revision: number; sequence: number }>(
    'READ',
    'MATCH (l:Ledger {tenant: $tenant}) RETURN l.revision AS revision, l.sequence AS sequence',
    { tenant },
  );
  return ledgers.length === 1 ? (ledgers[0] ?? {}) : {};
}

/** All changes, also those that no update would hold. */
export async function changesOf(database: Database, tenant: string): Promise<Told[]> {
  const rows = await database.run<Told>(
    'READ',
    `MATCH (c:Change {tenant: $tenant}) OPTIONAL MATCH (u:Update)-[:CONTAINS]->(c)
     RETURN c.op AS op, c.statement AS statement, coalesce(c.previous, '[]') AS previous, u.sourceAgentId AS agent, u.id AS updateId,
       u.revision AS revision, c.sequence AS sequence`,
    { tenant },
  );
  return rows.map(({ statement, previous, ...row }) => ({
    ...row,
    statement: JSON.parse(String(statement)),
    previous: sorted(JSON.parse(String(previous))),
  }));
}

/** All statements and what they were before. */
export async function edgesOf(database: Database, tenant: string): Promise<Told[]> {
  const rows = await database.run<Told>(
    'READ',
    `MATCH (s:Entity {tenant: $tenant})-[r]->(o:Entity|Literal)
     RETURN s.id AS subject, r.predicate AS predicate, r.graph AS graph, r.certainty AS certainty, r.provenance AS provenance,
       CASE WHEN o:Literal THEN o {.value, type: o.datatype, .language} ELSE o {.id} END AS object,
       r.sourceAgentId AS sourceAgentId, r.sources AS sources, r.sourceDetails AS sourceDetails, r.updateId AS updateId, r.revision AS revision,
       r.observedAt.epochMillis AS observedAt, r.recordedAt.epochMillis AS recordedAt,
       r.retractedRevision AS retractedRevision, r.retractedBy AS retractedBy, r.retractedIn AS endedIn`,
    { tenant },
  );
  return rows.map(({ observedAt, recordedAt, provenance, object, sources, sourceDetails, ...row }) => {
    const said = withoutNulls({
      certainty: row.certainty,
      provenance: provenance === null ? null : JSON.parse(String(provenance)),
      observedAt: new Date(Number(observedAt)).toISOString(),
    });
    return withoutNulls({
      ...row,
      ...said,
      object: withoutNulls(object as Told),
      recordedAt: new Date(Number(recordedAt)).toISOString(),
      sources: (sources as string[] | null)?.map((sourceAgentId, index) => ({
        sourceAgentId,
        ...JSON.parse((sourceDetails as string[])[index] ?? '{}'),
      })) ?? [{ sourceAgentId: row.sourceAgentId, ...said }],
    });
  });
}

/** The properties of every entity. */
export async function entitiesOf(database: Database, tenant: string): Promise<Told[]> {
  const text = 'MATCH (e:Entity {tenant: $tenant}) RETURN properties(e) AS entity';
  const rows = await database.run<{ entity: Told }>('READ', text, { tenant });
  return rows.map(({ entity }) => entity);
}
