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
    const { data } = await client.query<{ rows: Found[] }>(
      page,
      { subject, statement, first: pageSize },
      { queryLanguage: 'cypher', metadata },
    );
    const whole = data.rows.flatMap(wholeStatement);
    if (whole.length > 0) yield whole;
    const last = data.rows.at(-1);
    if (last === undefined || data.rows.length < pageSize) return;
    [subject, statement] = [last.subject, last.id];
  }
}

/** A row as the graph has it: where somebody has edited it past Concord, anything may be absent. */
type Found = { [Key in keyof StatementRow]: StatementRow[Key] | null } & Pick<StatementRow, 'subject' | 'id'>;

/** The row, or nothing where it is no whole statement. */
function wholeStatement(found: Found): StatementRow[] {
  const { predicate, observedAt, sources, objectId, value } = found;
  const isLiteral = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (predicate === null || observedAt === null || (objectId === null && !isLiteral)) return [];
  const known = (sources ?? []).filter((each) => each !== null);
  const texts = ['graph', 'subjectType', 'objectType', 'datatype', 'language'] as const;
  const told = Object.fromEntries(texts.map((name) => [name, typeof found[name] === 'string' ? found[name] : null]));
  return [{ ...found, ...told, predicate, observedAt, provenance: jsonIn(found.provenance), sources: known }];
}

/** The text, if it is JSON. */
function jsonIn(text: string | null): string | null {
  try {
    return text === null || JSON.parse(text) === null ? null : text;
  } catch {
    return null;
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
