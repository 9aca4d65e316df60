import type { Call, UnaryMethod } from '../../calls/call.ts';
import type { Database } from '../../graph/database/database.ts';
import { entitiesLike } from '../../graph/search/textIndex.ts';
import { folded } from '../../graph/search/words.ts';
import { queryFault } from '../../knowledge/query/operations.ts';
import type { QueryResult } from '../../knowledge/query/query.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import type { ReadUnder } from '../query.ts';
import { labelOf } from '../reading/labels.ts';
import type { SeenText } from '../values.ts';

export interface LookUpParts {
  database: Database;
  /** `knowledge/query` */
  query: UnaryMethod<QueryResult>;
  timeoutMs: number;
  /** What texts say of their entity, 0 to 1, by the IRI of their predicate. */
  textWeights: Map<string, number>;
}

/** Words that are looked up, and entities that the index is asked for by each, whatever of them the caller sees. */
const mostWords = 12;
const mostCandidates = 60;
/** Of several words together: a name has several. */
const mostTogether = 100;
const page = 100;

/**
 * The texts of entities that have a word of a question, as the caller sees them: the index only says which entities to
 * read.
 * @param words folded; further ones are not looked up
 * @throws ConcordError as `knowledge/query`
 */
export async function textsLike(
  parts: LookUpParts,
  words: string[],
  vocabulary: Vocabulary,
  under: ReadUnder,
  call: Call,
): Promise<SeenText[]> {
  const asked = [...new Set(words.flatMap((word) => folded(word).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []))];
  const some = asked.slice(0, mostWords);
  if (some.length === 0 || parts.textWeights.size === 0) return [];
  const found = await Promise.all([
    ...(some.length > 1 ? [idsLike(parts, some, mostTogether, call)] : []),
    ...some.map((word) => idsLike(parts, [word], mostCandidates, call)),
  ]);
  const ids = [...new Set(found.flat())];
  const pages = Array.from({ length: Math.ceil(ids.length / page) }, (_, at) => ids.slice(at * page, (at + 1) * page));
  const texts: SeenText[] = [];
  for (const each of pages) texts.push(...(await textsOf(parts, each, vocabulary, under, call)));
  return texts;
}

async function idsLike(
  { database, timeoutMs }: LookUpParts,
  words: string[],
  limit: number,
  { principal }: Call,
): Promise<string[]> {
  try {
    return await entitiesLike(database, principal.tenant, words, { limit, timeoutMs });
  } catch (error) {
    throw queryFault(error);
  }
}

const readTexts = `query ($ids: [ID!], $predicates: [String!]) {
  entities(where: { id: { in: $ids } }, limit: ${page}) {
    id type statements(predicate: $predicates, first: 60) { predicate object { value } }
  }
}`;

interface ReadTexts {
  id: string;
  type: string | null;
  statements: { predicate: string; object: { value: unknown } }[];
}

async function textsOf(
  { query, textWeights }: LookUpParts,
  ids: string[],
  vocabulary: Vocabulary,
  { requiredCertainty, asOf }: ReadUnder,
  call: Call,
): Promise<SeenText[]> {
  const fields = new Map(
    vocabulary.classes.flatMap((each) =>
      each.fields.flatMap((field) =>
        field.kind === 'literal' ? [[`${each.iri} ${field.predicate}`, field.name]] : [],
      ),
    ) as [string, string][],
  );
  const open = new Set([...fields.keys()].map((key) => key.split(' ')[1] ?? ''));
  const variables = { ids, predicates: [...textWeights.keys()].filter((iri) => open.has(iri)) };
  const conditions = {
    ...(requiredCertainty !== undefined && { requiredCertainty }),
    ...(asOf !== undefined && { metadata: { asOf } }),
  };
  const { data } = await query({ query: readTexts, variables, ...conditions }, call);
  const byIri = new Map(vocabulary.classes.map((each) => [each.iri, each]));
  return ((data?.entities ?? []) as ReadTexts[]).flatMap(({ id, type, statements }) => {
    const definition = byIri.get(type ?? '');
    if (!definition) return [];
    const texts = statements.flatMap(({ predicate, object: { value } }) => {
      const field = fields.get(`${definition.iri} ${predicate}`);
      return field !== undefined && typeof value === 'string'
        ? [{ field, value, weight: textWeights.get(predicate) ?? 0 }]
        : [];
    });
    const called = labelOf(definition);
    const label = texts.find(({ field }) => field === called)?.value ?? id;
    return texts.map((each) => ({ id, class: definition.name, label, ...each }));
  });
}
