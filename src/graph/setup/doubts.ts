import neo4j, { Neo4jError } from 'neo4j-driver';
import { converted } from '../../vocabulary/conversion.ts';
import type { Doubt, Taken } from '../../vocabulary/differences.ts';
import type { Scalar } from '../../vocabulary/vocabulary.ts';
import type { Database } from '../database/database.ts';
import type { KnownNames } from '../names/dictionary.ts';
import { quoted } from '../names/names.ts';

/** One of what no longer fits. */
export interface Example {
  tenant: string;
  subject: string;
  /** value of a literal or id of an entity; absent where it is the entity itself */
  object?: string | number | boolean;
}

/** How much of the graph a doubt is about. */
export interface Counted {
  of: Doubt['of'];
  count: number;
  /** Entities or statements that were looked at, and how many there are. */
  looked: number;
  total: number;
  /** How many of the values could be stated anew without loss; of the first thousand. */
  convertible?: number;
  examples: Example[];
}

export interface Limits {
  /** Most entities or statements looked at for one doubt. */
  rows: number;
  /** As `performance.now()` counts. */
  deadline: number;
}

/** How many examples of each. */
const shown = 3;
const convertedMost = 1_000;

/** A pattern that finds what a doubt is about, which of it is hidden, and how many that makes. */
interface Search {
  pattern: string;
  isHidden: string;
  /** How many each row that is hidden stands for. */
  weight: string;
  parameters: object;
}

/**
 * Counts what a doubt is about: the total from the counts that Neo4j keeps, what is hidden by looking at so many.
 * @returns undefined where the time was too short
 */
export async function count(
  database: Database,
  doubt: Doubt,
  names: KnownNames,
  limits: Limits,
): Promise<Counted | undefined> {
  const search = searchOf(doubt, names);
  const { of } = doubt;
  if (search === undefined) return { of, count: 0, looked: 0, total: 0, examples: [] };
  const { pattern, isHidden, weight, parameters } = search;
  const timeout = Math.ceil(limits.deadline - performance.now());
  if (timeout <= 0) return undefined;
  const all = { ...parameters, rows: neo4j.int(limits.rows) };
  try {
    const [totals] = await database.run<{ total: number }>(
      'READ',
      `${pattern} RETURN count(*) AS total`,
      {},
      { timeout },
    );
    const total = totals?.total ?? 0;
    if (total === 0) return { of, count: 0, looked: 0, total, examples: [] };
    const isAll = isHidden === 'true';
    const [row] = isAll
      ? [{ hidden: total, looked: total }]
      : await database.run<{ hidden: number; looked: number }>(
          'READ',
          `${pattern} WITH * LIMIT $rows WITH CASE WHEN ${isHidden} THEN ${weight} ELSE 0 END AS hidden
           RETURN sum(hidden) AS hidden, count(*) AS looked`,
          all,
          { timeout },
        );
    const found = { of, count: row?.hidden ?? 0, looked: row?.looked ?? 0, total };
    if (found.count === 0) return { ...found, examples: [] };
    const examples = await database.run<Example & { object: Example['object'] | null }>(
      'READ',
      `${pattern} WITH * LIMIT $rows WITH * WHERE ${isHidden} LIMIT $most ${exampleOf(doubt)}`,
      { ...all, most: neo4j.int(doubt.of === 'values' ? convertedMost : shown) },
      { timeout },
    );
    return {
      ...found,
      ...convertibleOf(doubt, examples),
      examples: examples.slice(0, shown).map(withoutNull).sort(bySubject),
    };
  } catch (error) {
    // Neo4j ends a transaction that is beyond its time.
    if (error instanceof Neo4jError && error.code.startsWith('Neo.ClientError.Transaction.')) return undefined;
    throw error;
  }
}

const bySubject = (one: Example, other: Example) => (one.subject < other.subject ? -1 : 1);

function withoutNull({ object, ...rest }: Example & { object?: Example['object'] | null }): Example {
  return { ...rest, ...(object != null && { object }) };
}

function convertibleOf(doubt: Doubt, examples: { object?: Example['object'] | null }[]): { convertible?: number } {
  if (doubt.of !== 'values' || !('scalar' in doubt.field)) return {};
  const { scalar } = doubt.field;
  const convertible = examples.filter(({ object }) => object != null && converted(object, scalar) !== undefined);
  return { convertible: convertible.length };
}

function exampleOf({ of }: Doubt): string {
  const object = of === 'statements' || of === 'values' ? ', coalesce(o.value, o.id) AS object' : '';
  return `RETURN s.tenant AS tenant, s.id AS subject${object}`;
}

/** undefined where nothing was ever said with its class or predicate */
export function searchOf(doubt: Doubt, { labels, types }: KnownNames): Search | undefined {
  const label = labels.get(doubt.class);
  if (label === undefined) return undefined;
  const all = { isHidden: 'true', weight: '1', parameters: {} };
  if (doubt.of === 'entities') return { ...all, pattern: `MATCH (s:${quoted(label)})` };
  const type = types.get(doubt.predicate);
  if (type === undefined) return undefined;
  const statements = `MATCH (s:${quoted(label)})-[r:${quoted(type)}]->(o)`;
  const each = `COUNT { (s)-[:${quoted(type)}]->() }`;
  switch (doubt.of) {
    case 'statements':
      return { ...all, pattern: statements };
    case 'values':
      return { ...all, pattern: statements, ...misfitsOf(doubt.field, labels) };
    case 'further values':
      return {
        ...all,
        pattern: `MATCH (s:${quoted(label)})`,
        isHidden: `${each} > 1`,
        weight: `${each} - 1`,
      };
    case 'further objects': {
      const others = `(s)-[r:${quoted(type)}]->()`;
      const graphs = `COUNT { MATCH ${others} RETURN DISTINCT coalesce(r.graph, '') }`;
      // A subject that states in each graph once breaks no rule.
      return {
        ...all,
        pattern: `MATCH (s:${quoted(label)})`,
        isHidden: `${each} > 1 AND ${each} > ${graphs}`,
        weight: `${each} - ${graphs}`,
      };
    }
  }
}

function misfitsOf(field: Taken, labels: KnownNames['labels']): { isHidden: string; parameters: object } {
  if ('scalar' in field) return { isHidden: `NOT coalesce(${fits(field.scalar)}, false)`, parameters: patterns };
  const label = labels.get(field.target);
  return { isHidden: label === undefined ? 'true' : `NOT o:${quoted(label)}`, parameters: {} };
}

const day =
  '((\\d\\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29|\\d{4}-(02-(0[1-9]|1\\d|2[0-8])|(0[469]|11)-(0[1-9]|[12]\\d|30)|(0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])))';
export const patterns = {
  day,
  instant: `${day}T([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d+)?)?(Z|[+-]([01]\\d|2[0-3]):?[0-5]\\d)`,
};

/** Whether a field shows the value of `o`: the lines of `asScalar` (graph/statements/projection.ts), in Cypher. */
export function fits(scalar: Scalar): string {
  switch (scalar) {
    case 'String':
    case 'ID':
      return 'o.value IS :: STRING NOT NULL';
    case 'Boolean':
      return 'o.value IS :: BOOLEAN NOT NULL';
    case 'Float':
      return '(o.value IS NOT NULL AND o.value IS :: INTEGER | FLOAT)';
    case 'Int':
      return `CASE WHEN o.value IS NOT NULL AND o.value IS :: INTEGER | FLOAT
        THEN -2147483648 <= o.value <= 2147483647 AND o.value = toInteger(o.value) ELSE false END`;
    case 'Date':
      return 'CASE WHEN o.value IS :: STRING NOT NULL THEN o.value =~ $day ELSE false END';
    case 'DateTime':
      return 'CASE WHEN o.value IS :: STRING NOT NULL THEN o.value =~ $instant ELSE false END';
  }
}
