import { after, isTree, nameOf, plain, type Tree, tree, trees } from '../grammar/tree.ts';
import { namesClass } from './labels.ts';
import type { Scope } from './scope.ts';

/*
 * Whether Neo4j can begin a query at indexes, as far as its text tells. What Neo4j makes of it follows statistics of
 * the whole database, so its plan would tell of what is hidden.
 */

/** Notes whether each of these patterns has a node to begin at: one that is bound, of a class, or known by its id. */
export function noteStartingPoints(patterns: readonly Tree[], condition: Tree | undefined, outside: Scope): void {
  const known = new Set(condition ? identified(condition) : []);
  let left = patterns.map((each) => ({ names: namesIn(each), begins: begins(each) }));
  for (let found = true; found; ) {
    const reached = left.filter(
      ({ names, begins }) => begins || names.some((name) => outside.isSure(name) || known.has(name)),
    );
    for (const { names } of reached) for (const name of names) known.add(name);
    left = left.filter((each) => !reached.includes(each));
    found = reached.length > 0;
  }
  outside.rewrite.patterns += patterns.length;
  if (left.length > 0) outside.rewrite.scans = true;
}

/** The nodes of a pattern and what is in it. */
function nodesIn(of: Tree): Tree[] {
  return of.rule === 'nodePattern' ? [of] : trees(of).flatMap(nodesIn);
}

function namesIn(of: Tree): string[] {
  return nodesIn(of).flatMap((node) => trees(node, 'variable').map(nameOf));
}

/** Whether a node of it is of a class, or has its id there. */
function begins(of: Tree): boolean {
  return nodesIn(of).some((node) => {
    const map = tree(tree(node, 'properties') ?? node, 'map');
    const condition = after(node, 'WHERE');
    return (
      namesClass(tree(node, 'labelExpression')) ||
      (map !== undefined && trees(map, 'propertyKeyName').some((key) => nameOf(key) === 'id')) ||
      (condition !== undefined && identified(condition).length > 0)
    );
  });
}

const comparing = new Set(['EQ', 'LT', 'LE', 'GT', 'GE', 'IN', 'STARTS']);

/** The variables whose `id` a condition compares. */
function identified(of: Tree): string[] {
  if (of.rule === 'parenthesizedExpression' || of.rule === 'expression10') return trees(of).flatMap(identified);
  const [left, right] = trees(of);
  if ((of.rule !== 'expression8' && of.rule !== 'expression7') || left?.rule !== 'expression2') return [];
  const sign = (of.rule === 'expression8' ? of : (right ?? of)).parts.find((part) => !isTree(part));
  const [base, , ...more] = trees(left);
  if (!sign || isTree(sign) || !comparing.has(sign.word) || base?.rule !== 'reference' || more.length > 0) return [];
  return plain(left) === `${plain(base)} . id` ? [nameOf(base)] : [];
}
