import { after, has, isTree, nameOf, plain, type Tree, tree, trees } from '../grammar/tree.ts';

/** The property that stands for the point in time; no relationship has it. */
const asOf = '__concordAsOf';

/**
 * Whether a relationship pattern is read as of a point in time of its own, whatever the query is read as of. `vocabulary/typedefs.ts` writes it so:
 *
 *     -[s WHERE $asOf IS NULL OR s.__concordAsOf = $asOf]->
 *
 * which asks nothing where there is no such point, for `@neo4j/graphql` writes an absent argument as `NULL`.
 * @returns the parameter that gives the point in time, nothing where there is none; undefined where the pattern isn't of this form
 */
export function statementAsOf(of: Tree): { moment?: string } | undefined {
  const where = of.rule === 'relationshipPattern' ? after(of, 'WHERE') : undefined;
  if (where?.rule !== 'expression') return undefined;
  const [absent, same, ...more] = trees(where);
  const [given] = absent ? trees(absent) : [];
  if (!absent || !same || !given || more.length > 0) return undefined;
  const form = `${plain(given)} IS NULL OR ${nameOf(tree(of, 'variable') ?? of)} . ${asOf} = ${plain(given)}`;
  if (plain(where) !== form) return undefined;
  if (given.rule === 'literal' && has(given, 'NULL')) return {};
  const name = given.rule === 'parameter' ? tree(given, 'parameterName') : undefined;
  return name && { moment: nameOf(name) };
}

/** Whether the query has such a pattern with a point in time. */
export function saysMoment(of: Tree): boolean {
  return statementAsOf(of)?.moment !== undefined || of.parts.some((part) => isTree(part) && saysMoment(part));
}
