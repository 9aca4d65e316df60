import type { Database } from '../../../src/graph/database/database.ts';

/** A statement as the log has it. */
export interface LoggedStatement {
  subject: { id: string; type?: string };
  predicate: { id: string };
  object: { id?: string; type?: string; value?: string | number | boolean };
  graph?: string;
  certainty?: number;
}

/** A change as Neo4j has it, read past Concord. */
export interface LoggedRow {
  sequence: number;
  changeId: string;
  op: 'add' | 'remove' | 'replace';
  statement: LoggedStatement;
  previous: LoggedStatement[];
  sourceAgentId: string;
  updateId: string;
  revision: number;
}

/** A population that somebody stated, and how long that held. */
export interface Version {
  id: string;
  subject: string;
  value: number;
  certainty: number;
  observedAt: number;
  revision: number;
  /** Absent while it holds. */
  retractedRevision: number | null;
}

/** What the graph says when nobody writes any more: what every subscriber is compared with. */
export interface Log {
  changes: LoggedRow[];
  /** IRI of the class of each entity that has one. */
  classes: ReadonlyMap<string, string>;
  /** The populations of each entity, of all times. */
  populations: ReadonlyMap<string, Version[]>;
}

/** @param population IRI of the predicate */
export async function readLog(database: Database, population: string, tenant = 'default'): Promise<Log> {
  const rows = await database.run<Omit<LoggedRow, 'statement' | 'previous'> & { statement: string; previous: string }>(
    'READ',
    `MATCH (c:Change {tenant: $tenant}) OPTIONAL MATCH (u:Update)-[:CONTAINS]->(c)
     RETURN c.sequence AS sequence, c.changeId AS changeId, c.op AS op, c.statement AS statement,
       coalesce(c.previous, '[]') AS previous, u.sourceAgentId AS sourceAgentId, u.id AS updateId, u.revision AS revision
     ORDER BY sequence`,
    { tenant },
  );
  const entities = await database.run<{ id: string; type: string }>(
    'READ',
    'MATCH (e:Entity {tenant: $tenant}) WHERE e.type IS NOT NULL RETURN e.id AS id, e.type AS type',
    { tenant },
  );
  const versions = await database.run<Version>(
    'READ',
    `MATCH (s:Entity {tenant: $tenant})-[r {predicate: $population}]->(o:Literal)
     RETURN r.statementId AS id, s.id AS subject, o.value AS value, coalesce(r.certainty, 1.0) AS certainty,
       r.observedAt.epochMillis AS observedAt, r.revision AS revision, r.retractedRevision AS retractedRevision`,
    { population, tenant },
  );
  const populations = new Map<string, Version[]>();
  for (const each of versions) populations.set(each.subject, [...(populations.get(each.subject) ?? []), each]);
  return {
    changes: rows.map(({ statement, previous, ...row }) => ({
      ...row,
      statement: JSON.parse(statement),
      previous: JSON.parse(previous),
    })),
    classes: new Map(entities.map(({ id, type }) => [id, type])),
    populations,
  };
}

/** The population that a reader saw at a revision, if any: the best of those that held (DESIGN, "Reading"). */
export function populationAt(log: Log, subject: string, revision: number): number | undefined {
  const [best] = (log.populations.get(subject) ?? [])
    .filter((each) => each.revision <= revision && (each.retractedRevision ?? Number.POSITIVE_INFINITY) > revision)
    .sort(
      (one, other) =>
        other.certainty - one.certainty || other.observedAt - one.observedAt || (one.id < other.id ? -1 : 1),
    );
  return best?.value;
}

/** What somebody is told of a change, in a line. */
export function lineOf(
  { sequence, changeId, op }: Pick<LoggedRow, 'sequence' | 'changeId'> & { op: string },
  [subject, predicate, object]: [string, string, LoggedStatement['object']],
  after?: unknown,
): string {
  const told = [sequence, op, changeId, subject, predicate, String(object.value ?? object.id)];
  return JSON.stringify(after === undefined ? told : [...told, after]);
}
