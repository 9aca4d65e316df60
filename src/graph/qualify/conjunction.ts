import { entityQualifies, projectedQualifies } from './conditions.ts';
import { expression, joined } from './expressions.ts';
import { isPlainlyBest } from './literals.ts';
import type { Rewrite } from './rewrite.ts';
import type { Scope } from './scope.ts';
import { has, isTree, nameOf, type Tree, tree, trees } from './tree.ts';

/**
 * The `WHERE` of patterns with its keyword, or nothing.
 * @param pattern as it is rewritten
 * @param own the condition that is written there
 * @param ofPattern what the patterns must meet
 */
export function whereOf(
  rewrite: Rewrite,
  pattern: string,
  own: Tree | undefined,
  scope: Scope,
  ofPattern: string[],
): string {
  // An entity with a literal statement that is certain enough has a statement that is. What could fail must be left out for what is hidden, though.
  const asked = own && !/[{$]|\bWHERE\b/i.test(pattern) ? compared(rewrite, own, scope) : undefined;
  const implied = new Set(asked?.map(entityQualifies));
  const conditions = [
    ...(own ? [conjunction(rewrite, own, scope)] : []),
    ...ofPattern.filter((each) => !implied.has(each)),
  ];
  return conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
}

/** The entities whose properties are compared, where a condition is nothing but comparisons that cannot fail. */
function compared(rewrite: Rewrite, of: Tree, scope: Scope): string[] | undefined {
  if (of.rule === 'parenthesizedExpression' || of.rule === 'expression10') {
    const each = trees(of).map((part) => compared(rewrite, part, scope));
    return each.every((entities) => entities !== undefined) ? each.flat() : undefined;
  }
  const found = of.rule === 'expression8' ? comparison(rewrite, of, scope) : undefined;
  return found && cannotFail(found.right) ? [found.entity] : undefined;
}

/** A map is a literal to the grammar, whatever is computed in it. */
const cannotFail = (of: Tree) => of.rule === 'parameter' || (of.rule === 'literal' && !tree(of, 'map'));

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
  const asked = comparison(rewrite, of, scope);
  if (asked) {
    const { entity, property, right } = asked;
    const [, operator] = of.parts;
    const raw =
      of.rule === 'expression8'
        ? `${operator && !isTree(operator) ? operator.text : ''} ${expression(rewrite, right, scope).text}`
        : joined(rewrite, right, scope);
    return `(${entity}.${property.source} ${raw} AND ${projectedQualifies(entity, nameOf(property))})`;
  }
  const { text } = expression(rewrite, of, scope);
  return of.rule === 'expression' || of.rule === 'expression11' ? `(${text})` : text;
}

/** A comparison of an entity's property that may ask the property itself. */
interface Comparison {
  entity: string;
  property: Tree;
  right: Tree;
}

function comparison(rewrite: Rewrite, of: Tree, scope: Scope): Comparison | undefined {
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
  return { entity: base.source, property: key, right };
}
