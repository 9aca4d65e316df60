import { projectedQualifies } from './conditions.ts';
import { expression, joined } from './expressions.ts';
import { isPlainlyBest } from './literals.ts';
import type { Rewrite } from './rewrite.ts';
import type { Scope } from './scope.ts';
import { has, isTree, nameOf, type Tree, tree, trees } from './tree.ts';

/**
 * A condition that must be true. Where certainty alone is required, a comparison with a property asks the property itself first, so that
 * its index serves.
 */
export function conjunction(rewrite: Rewrite, of: Tree, scope: Scope): string {
  if (of.rule === 'parenthesizedExpression') {
    const [only] = trees(of);
    return `(${only ? conjunction(rewrite, only, scope) : ''})`;
  }
  if (of.rule === 'expression10') {
    return trees(of)
      .map((each) => conjunction(rewrite, each, scope))
      .join(' AND ');
  }
  const fast = indexed(rewrite, of, scope);
  if (fast !== undefined) return fast;
  const { text } = expression(rewrite, of, scope);
  return of.rule === 'expression' || of.rule === 'expression11' ? `(${text})` : text;
}

function indexed(rewrite: Rewrite, of: Tree, scope: Scope): string | undefined {
  if (of.rule !== 'expression8' && of.rule !== 'expression7') return undefined;
  if (of.parts.length !== (of.rule === 'expression8' ? 3 : 2)) return undefined;
  const [left, right] = trees(of);
  if (left === undefined || right === undefined || left.rule !== 'expression2') return undefined;
  const [base, postfix, ...more] = trees(left);
  const property = postfix && tree(postfix, 'property');
  const key = property && tree(property, 'propertyKeyName');
  if (base?.rule !== 'reference' || key === undefined || more.length > 0) return undefined;
  const field = rewrite.isClosed(nameOf(key)) ? undefined : rewrite.fields.get(nameOf(key));
  if (!field || !isPlainlyBest(nameOf(key), field, rewrite.shape) || scope.projected.size > 0)
    return undefined;
  if (scope.kindOf(nameOf(base)).is !== 'node') return undefined;
  // `IS NULL` and its like are true of what is absent; the others are not.
  if (
    of.rule === 'expression7' &&
    (has(right, 'IS') || !trees(right).length || tree(right, 'type') || tree(right, 'labelExpression4'))
  )
    return undefined;
  const [, operator] = of.parts;
  const raw =
    of.rule === 'expression8'
      ? `${operator && !isTree(operator) ? operator.text : ''} ${expression(rewrite, right, scope).text}`
      : joined(rewrite, right, scope);
  return `(${base.source}.${key.source} ${raw} AND ${projectedQualifies(base.source, nameOf(key))})`;
}
