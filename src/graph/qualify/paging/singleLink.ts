import { RefusedCypher } from '../grammar/refusedCypher.ts';
import type { Tree } from '../grammar/tree.ts';
import { said } from './connection.ts';

const collecting = /^RETURN head \( collect \( (?<node>\w+) \) \) AS \w+$/;
const matching = /^MATCH \( \w+ \) - \[ (?<link>\w+) : .* \] - > \( (?<target>\w+) : /;

/**
 * Lets a single link show the one that counts, by the rule of the projection (docs/design/graph.md): the most certain,
 * then the newest, then by statement id. There may be several: in several graphs, or from before the vocabulary said
 * one. @neo4j/graphql takes any of them:
 *
 *     MATCH (this)-[this0:BLOCK]->(this1:Block&Entity)
 *     WITH DISTINCT this1
 *     …
 *     RETURN head(collect(this1)) AS var2
 * @param clauses of one query
 * @returns what stands for the `WITH`; undefined where they hold no single link
 * @throws RefusedCypher where it is written otherwise: any link would be as good as the best
 */
export function bestLink(clauses: readonly Tree[]): { clause: Tree; text: string } | undefined {
  const last = clauses.at(-1);
  const { node } = (last && collecting.exec(said(last))?.groups) ?? {};
  if (last === undefined || node === undefined) return undefined;
  const at = clauses.findIndex((each) => said(each) === `WITH DISTINCT ${node}`);
  const [match, clause] = [clauses[at - 1], clauses[at]];
  const { link, target } = (match && matching.exec(said(match))?.groups) ?? {};
  if (clause === undefined || target !== node)
    throw new RefusedCypher(`the single link ${node} as it is written`, last.position);
  const order = `coalesce(${link}.certainty, 1.0) DESC, ${link}.observedAt DESC, ${link}.statementId`;
  return { clause, text: `WITH ${link}, ${node} ORDER BY ${order} LIMIT 1\nWITH ${node}` };
}
