import { prefix } from './conditions.ts';

/*
 * A query can be made to tell which statements its answer rests on: each row carries the edges that its patterns have matched and the
 * literal statements whose values it shows. Between clauses they travel as a column of lists of edges; grouping rows collects it.
 */

/** The column of the answer: lists of [statementId, certainty]. */
export const consultedColumn = `${prefix}Consulted`;

const edge = `${prefix}Read`;
const list = `${prefix}Reads`;

/** The edges of a pattern's variable as a list. */
export function edgesOf(variable: string, many: boolean): string {
  return many ? `coalesce(${variable}, [])` : `[${variable}]`;
}

/** The edges that a column carries, each once. */
export function carried(column: string): string {
  return `COLLECT { UNWIND ${column} AS ${list} UNWIND ${list} AS ${edge} WITH ${edge} WHERE ${edge} IS NOT NULL RETURN DISTINCT ${edge} }`;
}

/**
 * The item of a projection that carries on.
 * @param edges expressions of lists of edges
 * @param groups whether the projection makes one row of several
 */
export function carrying(
  edges: readonly string[],
  column: string,
  groups: boolean,
  isAnswer: boolean,
): string {
  if (edges.length === 0) return `[] AS ${column}`;
  const all = edges.join(' + ');
  const each = isAnswer ? `[${edge} IN ${all} | [${edge}.statementId, ${edge}.certainty]]` : all;
  return `${groups ? `collect(${each})` : `[${each}]`} AS ${column}`;
}
