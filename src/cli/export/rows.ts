import type { ConcordClient, LiteralObject, QueryWishes } from '../../client/index.ts';

/** A statement as the graph has it. */
export interface StatementRow {
  subject: string;
  subjectType: string | null;
  id: string;
  predicate: string;
  /** Of an entity; null of a literal. */
  objectId: string | null;
  objectType: string | null;
  value: string | number | boolean | null;
  datatype: string | null;
  language: string | null;
  graph: string | null;
  certainty: number | null;
  /** JSON text. */
  provenance: string | null;
  /** ISO 8601. */
  observedAt: string;
  /** Who states it; who spoke last comes last. */
  sources: string[];
}

const pageSize = 1_000;

/**
 * From the last statement on, in the order of the index of tenant and id: each page costs the same, however many are
 * before and behind it.
 */
const page = `MATCH (s:Entity)-[r]->(o)
WHERE s.id >= $subject AND (s.id > $subject OR r.statementId > $statement)
RETURN s.id AS subject, s.type AS subjectType, r.statementId AS id, r.predicate AS predicate, o.id AS objectId, o.type AS objectType,
  o.value AS value, o.datatype AS datatype, o.language AS language, r.graph AS graph, r.certainty AS certainty,
  r.provenance AS provenance, r.observedAt AS observedAt, coalesce(r.sources, [r.sourceAgentId]) AS sources
ORDER BY s.tenant, subject, id LIMIT $first`;

/** Every statement that the caller sees, page by page, by subject. */
export async function* statementRows(client: ConcordClient, metadata: QueryWishes): AsyncGenerator<StatementRow[]> {
  let [subject, statement] = ['', ''];
  for (;;) {
    const { data } = await client.query<{ rows: StatementRow[] }>(
      page,
      { subject, statement, first: pageSize },
      { queryLanguage: 'cypher', metadata },
    );
    if (data.rows.length > 0) yield data.rows;
    const last = data.rows.at(-1);
    if (last === undefined || data.rows.length < pageSize) return;
    [subject, statement] = [last.subject, last.id];
  }
}

/** The object of a statement that is a literal. */
export function literalIn({
  value,
  datatype,
  language,
}: Pick<StatementRow, 'value' | 'datatype' | 'language'>): LiteralObject {
  return {
    value: value ?? '',
    ...(datatype !== null && { type: datatype }),
    ...(language !== null && { language }),
  };
}
