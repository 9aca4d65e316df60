import { after, nameOf, type Tree, tree, trees } from '../grammar/tree.ts';
import { any, data, listOf } from '../text/kinds.ts';
import { collect, comprehending, counting, cypher, exists, nothing, type Piece, Variable } from '../text/piece.ts';
import { query } from './clauses.ts';
import { expression } from './expressions.ts';
import { type Patterns, patterns } from './patterns.ts';
import type { Typed } from './properties.ts';
import { refuse, required, words } from './rewrite.ts';
import type { Scope } from './scope.ts';

/** `[(a)-->(b) WHERE … | …]` */
export function patternComprehension(of: Tree, scope: Scope): Typed {
  const named = tree(of, 'variable');
  const found = patterns([of], scope, after(of, 'WHERE'), true);
  const bar = required(after(of, 'BAR'), 'a pattern comprehension without a result', of);
  const path = named && found.scope.find(nameOf(named))?.variable;
  const result = expression(bar, found.scope);
  const text = cypher`${path ? cypher`${path} = ` : nothing}${found.text}`;
  return {
    value:
      found.behind === nothing
        ? cypher`${comprehending}${text} | ${result.value}]`
        : cypher`${collect} { MATCH ${text}${found.behind}\nRETURN ${result.value} AS ${new Variable()} }`,
    kind: listOf(result.kind),
  };
}

/** A pattern as a condition binds nothing, so nothing in it may be new. */
export function patternExpression(of: Tree, scope: Scope): Typed {
  for (const name of variablesOf(of)) {
    if (!scope.find(nameOf(name))) throw refuse(`the unknown variable ${nameOf(name)}`, name);
  }
  const found = patterns(trees(of), scope.inside(), undefined, true);
  return { value: cypher`${exists} { ${whole(found)} }`, kind: data };
}

/** Patterns as a sub-query. */
function whole({ text, behind }: { text: Piece; behind: Piece }): Piece {
  return behind === nothing ? text : cypher`MATCH ${text}${behind}\nRETURN 1 AS ${new Variable()}`;
}

/** Every variable that is read or named in it. */
export function variablesOf(of: Tree): Tree[] {
  return trees(of).flatMap((each) =>
    each.rule === 'variable' || each.rule === 'reference' ? [each] : variablesOf(each),
  );
}

/** `EXISTS`, `COUNT` and `COLLECT`. */
export function subquery(of: Tree, scope: Scope): Typed {
  const full = tree(of, 'queryWithLocalDefinitions');
  const found = full && query(full, scope.inside(), { by: 'expression' });
  const inner = found?.text ?? whole(matching(of, scope.inside(), true));
  if (of.rule === 'existsExpression') return { value: cypher`${exists} { ${inner} }`, kind: data };
  if (of.rule === 'countExpression') return { value: cypher`${counting} { ${inner} }`, kind: data };
  const kind = found?.columns[0]?.[2] ?? any;
  return { value: cypher`${collect} { ${inner} }`, kind: listOf(kind) };
}

/** The patterns and the `WHERE` of a clause or a sub-query. */
export function matching(of: Tree, scope: Scope, hasHorizon: boolean): Pick<Patterns, 'text' | 'behind' | 'scope'> {
  const list = tree(of, 'patternList');
  if (list === undefined) throw refuse(`the expression ${words(of.rule)}`, of);
  const mode = tree(of, 'matchMode');
  if (mode) throw refuse(`the match mode ${mode.source}`, mode);
  const where = tree(of, 'whereClause');
  const condition = where && after(where, 'WHERE');
  const { text, behind, ...found } = patterns(trees(list), scope, condition, hasHorizon);
  return { text, behind, scope: found.scope.restingOn([...scope.edges, ...found.edges]) };
}
