import { has, isTree, type Tree, tree, trees, type Word } from '../grammar/tree.ts';
import { realType } from '../text/conditions.ts';
import { data, isData } from '../text/kinds.ts';
import { cypher, holdsSubquery, join, operation, type Part, type Piece } from '../text/piece.ts';
import { asItIs, expression, soundExpression, wordText } from './expressions.ts';
import { labelText, typeCondition } from './labels.ts';
import { bound, sound, type Typed } from './properties.ts';
import { refuse, words } from './rewrite.ts';
import type { Scope } from './scope.ts';

/*
 * How values are compared, and what is asked of one: in an expression, in a pattern's condition, and in a `CASE`.
 */

/** `<`, `=` and their like. */
export function compared(of: Tree, scope: Scope): Typed {
  const isEach = of.parts.some((part) => !isTree(part) && part.word === 'NEQ');
  const parts = of.parts.map((part): Part => (isTree(part) ? comparand(part, scope, isEach) : wordText(part, of)));
  return { value: operation`${join(parts, cypher` `)}`, kind: data };
}

/**
 * What is compared. A property stands there as it is, so that its index serves, where nothing but a value of its type
 * can meet the comparison.
 * @param isEach whether others could
 */
function comparand(of: Tree, scope: Scope, isEach: boolean): Part {
  const read = of.rule === 'expression2' ? asItIs(of, scope) : expression(of, scope);
  return (isEach || scope.rewrite.negations > 0 ? sound(read) : read).value;
}

/**
 * A comparison with what stands in the place of its left side.
 * @param of an `expression8` of two sides, or an `expression7`
 */
export function tested(of: Tree, left: Part, scope: Scope): Piece {
  return cypher`${left} ${test(of.parts.slice(1), of, scope)}`;
}

/** What a value is compared with, and how. */
function test(given: readonly (Tree | Word)[], of: Tree, scope: Scope): Piece {
  const parts = given.flatMap((part) => (isTree(part) && part.rule === 'comparisonExpression6' ? part.parts : [part]));
  const texts = parts.map((part): Part => {
    if (!isTree(part)) return wordText(part, of);
    if (part.rule === 'type' || part.rule === 'normalForm') return constant(part);
    return soundExpression(part, scope).value;
  });
  return join(texts, cypher` `);
}

/** The words of a piece that holds nothing else. */
function constant(of: Tree): Piece {
  const parts = of.parts.map((part): Piece => (isTree(part) ? constant(part) : wordText(part, of)));
  return join(parts, cypher` `);
}

/** `IN`, `STARTS WITH`, `IS NULL`, a label test and their like. */
export function comparison(of: Tree, scope: Scope): Typed {
  const { rewrite } = scope;
  const [operand, test] = trees(of);
  if (operand === undefined || test === undefined) throw refuse(`the expression ${words(of.rule)}`, of);
  const labels = tree(test, 'labelExpression4');
  if (labels === undefined) {
    const isEach = has(test, 'NULL') && !has(test, 'NOT');
    return { value: operation`${tested(of, comparand(operand, scope, isEach), scope)}`, kind: data };
  }
  const { value, kind } = expression(operand, scope);
  if (has(test, 'LABELED')) throw refuse('IS LABELED', test);
  // Neo4j 5.26 uses up its memory, and ends, where it plans a label test of what a sub-query gives, as a value that
  // must qualify is.
  if (isData(kind) || holdsSubquery(value)) throw refuse('a label test of what is no node', test, 'bind it by WITH');
  const not = has(test, 'NOT') ? cypher`NOT ` : cypher``;
  if (kind.is === 'node' || !rewrite.shape.asOf) {
    const named = kind.is === 'node' ? 'labels' : kind.is === 'relationship' ? 'types' : 'unsure';
    return { value: operation`${not}(${value}:${labelText(rewrite, labels, named)})`, kind: data };
  }
  if (kind.is !== 'relationship') throw refuse('a label test of what may or may not be a node', test);
  return {
    value: bound(value, (edge) => operation`${not}(${typeCondition(rewrite, labels, realType(edge))})`),
    kind: data,
  };
}

/** What a `CASE` of a value compares it with. */
export function whenText(of: Tree, scope: Scope): Part {
  const [only] = trees(of);
  if (only && only.rule !== 'comparisonExpression6' && of.parts.length === 1) return expression(only, scope).value;
  if (only && tree(only, 'labelExpression4')) throw refuse('a label test in WHEN', of);
  return test(of.parts, of, scope);
}
