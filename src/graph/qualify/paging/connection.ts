import { plain, type Tree, trees } from '../grammar/tree.ts';

/** A connection as @neo4j/graphql writes it, in parts. */
export interface Connection {
  /** The clauses that find what it could have. */
  before: Tree[];
  node: string;
  relationship?: string;
  isCounted: boolean;
  /** The sub-queries before and after its page is taken. */
  early: Tree[];
  late: Tree[];
  /** The `WITH` that takes the page. */
  page?: Tree;
  /** The `RETURN` that collects the edges. */
  result: Tree;
  /** The clauses behind it. */
  rest: Tree[];
}

const collecting =
  /^WITH collect \( \{ node : (?<node>\w+)(?: , relationship : (?<relationship>\w+))? \} \) AS edges(?<count> , count \( \k<node> \) AS totalCount)?$/;

/**
 *     WITH collect({node: this0}) AS edges, count(this0) AS totalCount
 *     CALL (edges) { UNWIND edges AS edge WITH edge.node AS this0 … WITH * ORDER BY … LIMIT … … RETURN collect({…}) AS var1 }
 * @param clauses of one query
 * @returns undefined where they hold no such thing, or use the list elsewhere
 */
export function connectionOf(clauses: readonly Tree[]): Connection | undefined {
  const found = clauses.map((each) => collecting.exec(said(each))?.groups);
  const at = found.findIndex((each) => each !== undefined);
  const { node = '', relationship, count } = found[at] ?? {};
  const call = clauses[at + 1];
  if (call?.rule !== 'subqueryClause') return undefined;
  const rest = clauses.slice(at + 2);
  if (rest.some((each) => reads(each, 'edges'))) return undefined;
  const [unwind, taken, ...inner] = clausesOf(call);
  const columns = `edge . node AS ${node}${relationship ? ` , edge . relationship AS ${relationship}` : ''}`;
  if (!unwind || said(unwind) !== 'UNWIND edges AS edge') return undefined;
  if (!taken || said(taken) !== `WITH ${columns}`) return undefined;
  const result = inner.pop();
  const pages = inner.filter((each) => each.rule === 'withClause');
  const [page] = pages;
  if (result?.rule !== 'returnClause' || pages.length > 1) return undefined;
  const split = page ? inner.indexOf(page) : 0;
  return {
    before: clauses.slice(0, at),
    node,
    ...(relationship !== undefined && { relationship }),
    isCounted: count !== undefined,
    early: inner.slice(0, split),
    late: inner.slice(page ? split + 1 : 0),
    ...(page && { page }),
    result,
    rest,
  };
}

/** The words of a piece: an empty one of its own has a space too. */
export const said = (of: Tree) => plain(of).replace(/ +/g, ' ');

/** The clauses of the only query that a sub-query holds. */
function clausesOf(call: Tree): Tree[] {
  const queries = queriesIn(call);
  return queries.length === 1 ? queries.flatMap((each) => trees(each, 'clause')).flatMap((each) => trees(each)) : [];
}

/** The single queries in a piece, without those within them. */
function queriesIn(of: Tree): Tree[] {
  return trees(of).flatMap((each) => (each.rule === 'singleQuery' ? [each] : queriesIn(each)));
}

/** Whether a variable of this name is read in it. */
function reads(of: Tree, name: string): boolean {
  return trees(of).some((each) => {
    const isRead = each.rule === 'reference' || each.rule === 'variable';
    return isRead ? said(each) === name : reads(each, name);
  });
}
