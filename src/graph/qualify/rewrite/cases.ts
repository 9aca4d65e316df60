import { after, type Tree, tree, trees } from '../grammar/tree.ts';
import { either, type Kind, nothing } from '../text/kinds.ts';
import { cypher, join, list, operation, type Part } from '../text/piece.ts';
import { expression, test } from './expressions.ts';
import type { Typed } from './properties.ts';
import { type Rewrite, refuse } from './rewrite.ts';
import type { Scope } from './scope.ts';

/** `CASE … END` */
export function cases(rewrite: Rewrite, of: Tree, scope: Scope): Typed {
  const kinds: Kind[] = [];
  const result = (each: Tree | undefined): Part => {
    if (each === undefined) throw refuse('this CASE', of);
    const { value, kind } = expression(rewrite, each, scope);
    kinds.push(kind);
    return value;
  };
  const otherwise = after(of, 'ELSE');
  const alternatives = trees(of).filter(({ rule }) => rule.endsWith('aseAlternative'));
  const [operand] = trees(of).filter((each) => each !== otherwise && !alternatives.includes(each));
  const when = alternatives.map((each) => {
    const then = after(each, 'THEN');
    const tests = trees(each).filter((part) => part !== then);
    const texts = tests.map((part) =>
      part.rule === 'extendedWhen' ? whenText(rewrite, part, scope) : expression(rewrite, part, scope).value,
    );
    return cypher` WHEN ${list(texts)} THEN ${result(then)}`;
  });
  const value = operand ? cypher` ${expression(rewrite, operand, scope).value}` : cypher``;
  const last = otherwise ? cypher` ELSE ${result(otherwise)}` : cypher``;
  return {
    value: operation`CASE${value}${join(when, cypher``)}${last} END`,
    kind: kinds.reduce(either, nothing),
  };
}

/** What a `CASE` of a value compares it with. */
function whenText(rewrite: Rewrite, of: Tree, scope: Scope): Part {
  const [only] = trees(of);
  if (only && only.rule !== 'comparisonExpression6' && of.parts.length === 1)
    return expression(rewrite, only, scope).value;
  if (only && tree(only, 'labelExpression4')) throw refuse('a label test in WHEN', of);
  return test(rewrite, of.parts, of, scope);
}
