import neo4j from 'neo4j-driver';
import { quoted } from '../graph/names/names.ts';
import type { Names } from '../vocabulary/names.ts';
import { predicatesOf, type Vocabulary } from '../vocabulary/vocabulary.ts';
import { type Compared, type Condition, conditionTexts, Parameters } from './conditionText.ts';
import { ofItsTime, statementMap, statementOrder } from './statementMap.ts';

/** A `StatementWhere` of the schema. */
export type StatementWhere = Readonly<Record<string, unknown>>;

/** What is asked of `statements` at the root. */
export interface StatementsAsked {
  where?: StatementWhere | null;
  /** One field each, with the direction as Cypher has it (`sortDirections.ts`). */
  sort?: readonly Readonly<Record<string, string>>[] | null;
  asOf?: unknown;
  limit?: number | null;
  offset?: number | null;
}

/** What the vocabulary's classes and predicates are called in the graph, by IRI. */
export interface KnownNames {
  labels: ReadonlyMap<string, string>;
  types: ReadonlyMap<string, string>;
}

export function knownNames(vocabulary: Vocabulary, names: Names): KnownNames {
  return {
    labels: new Map(vocabulary.classes.map(({ iri }) => [iri, names.label(iri)])),
    types: new Map([...predicatesOf(vocabulary).keys()].map((iri) => [iri, names.relationshipType(iri)])),
  };
}

/** The fields of `StatementWhere` and `StatementSort`. */
const fields: Readonly<Record<string, Compared>> = {
  ...Object.fromEntries(
    'predicate graph sourceAgentId taskId updateId observedAt recordedAt revision'
      .split(' ')
      .map((name) => [name, { raw: `s.${name}` }]),
  ),
  id: { raw: 's.statementId' },
  subject: { raw: 'subject.id' },
  class: { raw: 'subject.type' },
  object: { raw: 'object.id' },
  certainty: { raw: 's.certainty', value: 'coalesce(s.certainty, 1.0)' },
};

/**
 * Cypher for the statements that meet the conditions, as maps in the column `statement`, and its parameters. Of the
 * caller's it has values, which are parameters, and which conditions there are.
 */
export function statementsText(
  asked: StatementsAsked,
  names: KnownNames,
): { text: string; parameters: Record<string, unknown> } {
  const { where, sort, asOf, limit, offset } = asked;
  const parameters = new Parameters();
  const conditions = ['s.statementId IS NOT NULL', ...whereTexts(where ?? {}, parameters)];
  const types = namesAsked(where?.predicate, names.types).join('|');
  const labels = namesAsked(where?.class, names.labels);
  const classes = labels.length > 1 ? `&(${labels.join('|')})` : labels.map((each) => `&${each}`).join('');
  const ofTime = asOf ? ` ${ofItsTime}` : '';
  const skip = offset ? ` SKIP ${parameters.add(neo4j.int(offset))}` : '';
  const end = limit ? ` LIMIT ${parameters.add(neo4j.int(limit))}` : '';
  const text = `MATCH (subject:Entity${classes})-[s${types && `:${types}`}${ofTime}]->(object)
    WHERE ${asOf ? '' : "type(s) <> 'PAST' AND "}${conditions.join(' AND ')}
    WITH s, subject, object
    ORDER BY ${orderText(sort ?? [])}${skip}${end}
    RETURN ${statementMap} AS statement`;
  return { text, parameters: { ...parameters.values, ...(asOf ? { asOf } : {}) } };
}

/** What is asked for by its IRI alone, as it is called in the graph; none where some of it is not of the vocabulary. */
function namesAsked(condition: unknown, names: ReadonlyMap<string, string>): string[] {
  const { eq, in: some } = (condition ?? {}) as { eq?: string | null; in?: string[] | null };
  const found = (eq ? [eq] : (some ?? [])).map((iri) => names.get(iri));
  return found.every((each) => each !== undefined) ? [...new Set(found)].map(quoted) : [];
}

function whereTexts(where: StatementWhere, parameters: Parameters): string[] {
  return Object.entries(where).flatMap(([name, given]) => {
    if (given === null || given === undefined) return [];
    if (name === 'NOT') return all(given as StatementWhere, parameters).map((each) => `NOT ${each}`);
    if (name === 'AND' || name === 'OR') {
      const parts = (given as StatementWhere[]).flatMap((each) => all(each, parameters));
      return parts.length > 0 ? [`(${parts.join(` ${name} `)})`] : [];
    }
    const compared = fields[name];
    return compared ? conditionTexts(given as Condition, compared, parameters) : [];
  });
}

/** All conditions as one; none where there are none. */
function all(where: StatementWhere, parameters: Parameters): string[] {
  const texts = whereTexts(where, parameters);
  return texts.length > 0 ? [`(${texts.join(' AND ')})`] : [];
}

/** Behind what is asked for the statement's id, so that each statement stands on one page. */
function orderText(sort: readonly Readonly<Record<string, string>>[]): string {
  const items = sort.flatMap((each) => Object.entries(each)).flatMap(([name, word]) => orderItems(name, word));
  return items.length > 0 ? [...items, 's.statementId'].join(', ') : statementOrder;
}

/** What has no value is last, or first where the direction is one of Cypher's long words. */
function orderItems(name: string, word: string): string[] {
  const { raw, value = raw } = fields[name] ?? { raw: 'null' };
  const direction = word.startsWith('DESC') ? 'DESC' : 'ASC';
  return [`${value} IS ${word.length > 4 ? 'NOT ' : ''}NULL`, `${value} ${direction}`];
}
