import { query } from './clauses.ts';
import { whereOf } from './conjunction.ts';
import { expression } from './expressions.ts';
import { any, data, listOf } from './kinds.ts';
import { patterns } from './patterns.ts';
import type { Typed } from './properties.ts';
import { type Rewrite, refuse, words } from './rewrite.ts';
import type { Scope } from './scope.ts';
import { after, nameOf, type Tree, tree, trees } from './tree.ts';

/** `[(a)-->(b) WHERE … | …]` */
export function patternComprehension(rewrite: Rewrite, of: Tree, scope: Scope): Typed {
  const named = tree(of, 'variable');
  const found = patterns(rewrite, [of], scope);
  const where = after(of, 'WHERE');
  const bar = after(of, 'BAR');
  if (bar === undefined) throw refuse('a pattern comprehension without a result', of);
  const condition = whereOf(rewrite, found.text, where, found.scope, found.where);
  const result = expression(rewrite, bar, found.scope);
  return {
    text: `[${named ? `${named.source} = ` : ''}${found.text}${condition} | ${result.text}]`,
    kind: listOf(result.kind),
  };
}

/** A pattern as a condition binds nothing, so nothing in it may be new. */
export function patternExpression(rewrite: Rewrite, of: Tree, scope: Scope): Typed {
  for (const name of variablesOf(of)) {
    if (!scope.knows(nameOf(name))) throw refuse(`the unknown variable ${name.source}`, name);
  }
  const inner = scope.inside();
  const { text, where } = patterns(rewrite, trees(of), inner);
  return {
    text: `EXISTS { ${text}${where.length > 0 ? ` WHERE ${where.join(' AND ')}` : ''} }`,
    kind: data,
  };
}

function variablesOf(of: Tree): Tree[] {
  return trees(of).flatMap((each) =>
    each.rule === 'variable' || each.rule === 'reference' ? [each] : variablesOf(each),
  );
}

/** `EXISTS`, `COUNT` and `COLLECT`. */
export function subquery(rewrite: Rewrite, of: Tree, scope: Scope): Typed {
  const word = of.rule.replace('Expression', '').toUpperCase();
  const full = tree(of, 'queryWithLocalDefinitions');
  if (full) {
    const { text, columns } = query(rewrite, full, scope.inside(), { by: 'expression' });
    const [only] = columns.values();
    return { text: `${word} { ${text} }`, kind: word === 'COLLECT' ? listOf(only ?? any) : data };
  }
  return { text: `${word} { ${matching(rewrite, of, scope.inside()).text} }`, kind: data };
}

/** The patterns and the `WHERE` of a clause or a sub-query. */
export function matching(rewrite: Rewrite, of: Tree, scope: Scope): { text: string; scope: Scope } {
  const list = tree(of, 'patternList');
  if (list === undefined) throw refuse(`the expression ${words(of.rule)}`, of);
  const mode = tree(of, 'matchMode');
  if (mode) throw refuse(`the match mode ${mode.source}`, mode);
  const found = patterns(rewrite, trees(list), scope);
  const where = tree(of, 'whereClause');
  const own = where && after(where, 'WHERE');
  return {
    text: `${found.text}${whereOf(rewrite, found.text, own, found.scope, found.where)}`,
    scope: found.scope.restingOn([...scope.edges, ...found.edges]),
  };
}
