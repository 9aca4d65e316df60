import { z } from 'zod';
import { ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import { type ClosedTo, conditionParams } from '../../knowledge/conditions.ts';
import { text } from '../../knowledge/patch.ts';
import type { Skill } from '../../skills/skill.ts';
import { joinPath } from '../joinPath.ts';
import { type JoinEnd, type Schema, type SchemaTable, schemaOf } from '../schema.ts';
import type { SchemaReader } from '../schemaReader.ts';
import { schemaLike } from '../schemaSearch.ts';
import type { Sources } from '../sources.ts';
import { sourceGraph } from '../terms.ts';
import { sourceOf } from './sourceOf.ts';

export interface ExploreSourceParts {
  sources: Sources;
  schemas: SchemaReader;
  closedTo: ClosedTo;
}

const params = z.strictObject({
  source: text(64).min(1, 'is empty'),
  text: text(1_000).regex(/[\p{L}\p{M}\p{N}]/u, 'has no word'),
  first: z.int().min(1).max(50).default(10),
  join: z.array(text(600)).length(2, 'names two tables').optional(),
  requiredCertainty: conditionParams.requiredCertainty,
});

/** Tables between which a way is looked for unasked: the likest and these many others. */
const mostJoined = 2;
/** Columns that are told of a table. */
const mostColumns = 100;

/**
 * `explore-source`: tables and columns of a source that are like the words of a text, and how the likest tables, or two
 * that are named, join. It reads the graph of the source, and of it what the caller sees.
 */
export function exploreSourceSkill({ sources, schemas, closedTo }: ExploreSourceParts): Skill {
  return {
    summary: 'Finds tables and columns of a database by words, also misspelt, and tells how tables join',
    readsOnly: true,
    example: { skill: 'explore-source', source: 'shop', text: 'customer orders' },
    parameters: params,
    textField: 'text',
    async run(input, call) {
      requireScope(call, 'knowledge:query', ErrorCode.KnowledgeQuery);
      const { source, text, first, join, requiredCertainty = 0 } = parseParams(params, input);
      sourceOf(sources, call.principal, source);
      const schema = schemaOf(await schemas.seen(call.principal, source, closedTo(call.principal), requiredCertainty));
      const found = schemaLike(schema, text, first);
      const data = {
        source,
        graph: sourceGraph(source),
        tables: found.tables.map(told),
        columns: found.columns.map(({ table, column }) => ({ table: table.name, ...column })),
        joins: pairsOf(schema, found.tables, join).map(([from, to]) => joined(schema, from, to)),
      };
      return {
        state: 'completed',
        artifacts: [{ name: 'found', description: 'The likest first', data }],
        text: `Tables: ${data.tables.length}, columns: ${data.columns.length}`,
      };
    },
  };
}

function told({ columns, keys, path, ...table }: SchemaTable) {
  return { ...table, columns: columns.slice(0, mostColumns).map(({ id, ...column }) => column) };
}

/** @throws ConcordError `invalid-params` where a table is named that there is not */
function pairsOf(schema: Schema, found: SchemaTable[], named: string[] | undefined): [SchemaTable, SchemaTable][] {
  if (named) {
    const [from, to] = named.map((each, index) => tableOf(schema, each, index));
    return from && to ? [[from, to]] : [];
  }
  const [first, ...others] = found.slice(0, 1 + mostJoined);
  return first ? others.map((other) => [first, other]) : [];
}

/** By its name, with its schema or, where that will do, without. */
function tableOf({ tables }: Schema, name: string, index: number): SchemaTable {
  const asked = name.toLowerCase();
  const fitting = tables.filter((each) => {
    const known = each.name.toLowerCase();
    return known === asked || known.endsWith(`.${asked}`);
  });
  const exact = fitting.filter((each) => each.name === name);
  const [table, ...others] = exact.length > 0 ? exact : fitting;
  if (table && others.length === 0) return table;
  const message = table
    ? `may be ${fitting
        .slice(0, 5)
        .map((each) => each.name)
        .join(' or ')}`
    : 'is no table of the source';
  throw refuse('invalid-params', `Invalid params: join[${index}] ${message}`, {
    issues: [{ path: `join[${index}]`, message }],
  });
}

function joined(schema: Schema, from: SchemaTable, to: SchemaTable) {
  const names = new Map(schema.tables.map(({ id, name }) => [id, name]));
  const end = ({ table, columns }: JoinEnd) => ({ table: names.get(table) ?? '', columns });
  const steps = joinPath(schema, from.id, to.id)?.map((join) => ({ ...join, from: end(join.from), to: end(join.to) }));
  return { from: from.name, to: to.name, ...(steps ? { steps } : { steps: [], unjoined: true }) };
}
