import { cypher, join, type Part, type Piece, property, Variable } from './piece.ts';

/*
 * A query can be made to tell which statements its answer rests on: each row carries the edges that its patterns have
 * matched and the literal statements whose values it shows. Between clauses they travel as a column of lists of edges;
 * grouping rows collects it.
 */

/** The edges of a pattern's variable as a list. */
export function edgesOf(variable: Variable, many: boolean): Piece {
  return many ? cypher`coalesce(${variable}, [])` : cypher`[${variable}]`;
}

/** The edges that a column carries, each once. */
export function carried(column: Variable): Piece {
  const [list, edge, each] = [new Variable(), new Variable(), new Variable()];
  return cypher`COLLECT { UNWIND ${column} AS ${list} UNWIND ${list} AS ${edge} WITH ${edge} WHERE ${edge} IS NOT NULL RETURN DISTINCT ${edge} AS ${each} }`;
}

/**
 * What a projection carries on.
 * @param edges expressions of lists of edges
 * @param groups whether the projection makes one row of several
 * @param isAnswer whether ids and certainties are told, and not the edges themselves
 */
export function carrying(edges: readonly Part[], groups: boolean, isAnswer: boolean): Piece {
  // Beside what aggregates, a list that is always the same would be a key to group by: without rows there would be no
  // answer.
  if (edges.length === 0) return groups ? cypher`collect(null)` : cypher`[]`;
  const all = join(edges, cypher` + `);
  const edge = new Variable();
  const each = isAnswer
    ? cypher`[${edge} IN ${all} | [${property(edge, 'statementId')}, ${property(edge, 'certainty')}]]`
    : all;
  return groups ? cypher`collect(${each})` : cypher`[${each}]`;
}
