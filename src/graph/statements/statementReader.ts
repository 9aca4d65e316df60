import { type DateTime, isDateTime } from 'neo4j-driver';
import { fixedPlan, type Queryable } from '../database/queryable.ts';
import type { Dictionary } from '../names/dictionary.ts';
import { highestCertainty, quoted } from '../names/names.ts';
import { isCertainty, type Statement } from './statement.ts';
import { jsonIn, type Voice, type VoiceLists, voicesOf } from './voice.ts';

/**
 * A statement that holds now. Its certainty, provenance and `observedAt` follow from what is said of it
 * (`knowledge/update/voices.ts`).
 */
export interface CurrentStatement {
  id: string;
  statement: Statement;
  /** When it was observed, in milliseconds since 1970: provenance.timestamp, else when it was recorded. */
  observedAt: number;
  /** Of at least one agent, each once; who spoke last comes last. */
  voices: Voice[];
}

/** What is known of an entity that exists. */
export interface KnownEntity {
  /** Its class IRI. */
  type?: string;
  /** The highest certainty among the statements it takes part in; absent where that is 1. */
  highest?: number;
}

/** Entities by id, of those that are there, with their classes. */
export type Classes = ReadonlyMap<string, Pick<KnownEntity, 'type'>>;

/** Reads the current statements of one tenant inside a transaction. Holding a reader, code cannot write. */
export class StatementReader {
  constructor(
    protected readonly tx: Queryable,
    protected readonly tenant: string,
    protected readonly dictionary: Dictionary,
  ) {}

  /** The property of an entity that projects a predicate. */
  propertyOf(predicate: string): string {
    return this.dictionary.property(predicate);
  }

  /** Those of these statements, all of one predicate, that hold. */
  async byId(predicate: string, statementIds: string[]): Promise<CurrentStatement[]> {
    const type = quoted(this.dictionary.relationshipType(predicate));
    return this.read(
      `UNWIND $in.statementIds AS statementId
       MATCH (s:Entity)-[r:${type} {statementId: statementId}]->(o)
       USING INDEX SEEK r:${type}(statementId)
       ${row}`,
      { statementIds },
    );
  }

  /** Every current statement of these subjects with one predicate, in all graphs. */
  async bySubject(predicate: string, subjects: string[]): Promise<CurrentStatement[]> {
    const type = quoted(this.dictionary.relationshipType(predicate));
    return this.read(
      `UNWIND $in.subjects AS subject
       MATCH (s:Entity {tenant: $tenant, id: subject})-[r:${type}]->(o)
       USING INDEX SEEK s:Entity(tenant, id)
       WHERE r.statementId IS NOT NULL
       ${row}`,
      { subjects },
    );
  }

  /** So many current statements of these subjects with one predicate at most, in one graph. */
  async inGraph(
    predicate: string,
    graph: string | undefined,
    subjects: string[],
    limit: number,
  ): Promise<CurrentStatement[]> {
    const type = quoted(this.dictionary.relationshipType(predicate));
    return this.read(
      `UNWIND $in.subjects AS subject
       MATCH (s:Entity {tenant: $tenant, id: subject})-[r:${type}]->(o)
       USING INDEX SEEK s:Entity(tenant, id)
       WHERE coalesce(r.graph, '') = $in.graph AND r.statementId IS NOT NULL
       WITH s, r, o LIMIT toInteger($in.limit)
       ${row}`,
      { subjects, graph: graph ?? '', limit },
    );
  }

  /** Which of these entities exist. */
  async entities(ids: string[]): Promise<Map<string, KnownEntity>> {
    const rows = await this.rows<{ id: string; type: string | null; highest: number | null }>(
      `UNWIND $in.ids AS id
       MATCH (e:Entity {tenant: $tenant, id: id})
       USING INDEX SEEK e:Entity(tenant, id)
       RETURN e.id AS id, e.type AS type, e.${highestCertainty} AS highest`,
      { in: { ids } },
    );
    return new Map(
      rows.map(({ id, type, highest }) => [id, { ...present('type', type), ...present('highest', highest) }]),
    );
  }

  private async read(query: string, parameters: Record<string, unknown>): Promise<CurrentStatement[]> {
    return (await this.rows<StatementRow>(query, { in: parameters })).map(currentStatement);
  }

  /** The rows of a query, which has the `$tenant`. */
  protected async rows<Row extends object>(query: string, parameters: Record<string, unknown>): Promise<Row[]> {
    const all = { tenant: this.tenant, ...parameters };
    const { records } = await this.tx.run(`${fixedPlan} ${query}`, all);
    return records.map((record) => record.toObject() as Row);
  }
}

const row = `RETURN s.id AS subject, s.type AS subjectType, r.statementId AS id, r.predicate AS predicate, r.graph AS graph,
  r.certainty AS certainty, r.provenance AS provenance, r.observedAt AS observedAt,
  CASE WHEN r.sources IS NULL THEN coalesce(r.sourceAgentId, '') ELSE r {.sources, .sourceDetails} END AS spokenBy, o.id AS objectId, o.type AS objectType,
  o.value AS value, o.datatype AS datatype, o.language AS language`;

/** Of an edge that somebody has edited past Concord, values may be of other types. */
interface StatementRow {
  subject: string;
  subjectType: string | null;
  id: string;
  predicate: string;
  graph: string | null;
  certainty: number | null;
  provenance: string | null;
  observedAt: unknown;
  /** The one agent that states it (empty where somebody wrote the edge by hand), or the lists of several. */
  spokenBy: string | Pick<VoiceLists, 'sources' | 'sourceDetails'>;
  objectId: string | null;
  objectType: string | null;
  value: string | number | boolean | null;
  datatype: string | null;
  language: string | null;
}

function currentStatement(row: StatementRow): CurrentStatement {
  const object =
    row.value === null
      ? { id: row.objectId ?? '', ...present('type', row.objectType) }
      : { value: row.value, type: row.datatype ?? '', ...present('language', row.language) };
  const observedAt = isDateTime(row.observedAt as object) ? (row.observedAt as DateTime).toStandardDate().getTime() : 0;
  const certainty = isCertainty(row.certainty) ? row.certainty : undefined;
  const provenance = row.provenance === null ? undefined : jsonIn(row.provenance);
  const { spokenBy } = row;
  return {
    id: row.id,
    observedAt,
    voices:
      typeof spokenBy === 'string' || !Array.isArray(spokenBy.sources) || !Array.isArray(spokenBy.sourceDetails)
        ? [{ sourceAgentId: typeof spokenBy === 'string' ? spokenBy : '', certainty, provenance, observedAt }]
        : voicesOf(spokenBy),
    statement: {
      subject: { id: row.subject, ...present('type', row.subjectType) },
      predicate: { id: row.predicate },
      object,
      ...present('graph', row.graph),
      ...(certainty !== undefined && { certainty }),
      ...(provenance !== undefined && { provenance }),
    },
  };
}

/** The member, or nothing where the database holds null. */
function present<Key extends string, Value>(key: Key, value: Value | null): { [K in Key]?: Value } {
  return value === null ? {} : ({ [key]: value } as { [K in Key]?: Value });
}
