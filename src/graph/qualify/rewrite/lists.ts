import { after, isTree, nameOf, type Tree, tree, trees } from '../grammar/tree.ts';
import { any, data, either, elementOf, type Kind, listOf } from '../text/kinds.ts';
import { cypher, list, nothing, Variable } from '../text/piece.ts';
import { conjunction } from './conjunction.ts';
import { expression, soundExpression } from './expressions.ts';
import { keyword } from './labels.ts';
import type { Typed } from './properties.ts';
import { refuse, words } from './rewrite.ts';
import type { Scope } from './scope.ts';

/** `[x, y]` */
export function listLiteral(of: Tree, scope: Scope): Typed {
  const elements = trees(of).map((each) => expression(each, scope));
  const kind = elements.reduce<Kind>((all, each) => either(all, each.kind), { is: 'null' });
  return { value: cypher`[${list(elements.map(({ value }) => value))}]`, kind: listOf(kind) };
}

/** `[x IN list WHERE … | …]` */
export function listComprehension(of: Tree, scope: Scope): Typed {
  const { variable, list, local } = iteration(of, scope);
  const where = after(of, 'WHERE');
  const bar = after(of, 'BAR');
  const result = bar && expression(bar, local);
  const condition = where ? cypher` WHERE ${conjunction(where, local)}` : nothing;
  return {
    value: cypher`[${variable} IN ${list.value}${condition}${result ? cypher` | ${result.value}` : nothing}]`,
    kind: listOf(result?.kind ?? elementOf(list.kind)),
  };
}

/** `all(x IN list WHERE …)` and its like. */
export function listItemsPredicate(of: Tree, scope: Scope): Typed {
  const { variable, list, local } = iteration(of, scope);
  const [word] = of.parts;
  const where = after(of, 'WHERE');
  const condition = where ? cypher` WHERE ${expression(where, local).value}` : nothing;
  const which = word && !isTree(word) ? keyword(word.word, of) : nothing;
  return { value: cypher`${which}(${variable} IN ${list.value}${condition})`, kind: data };
}

function iteration(of: Tree, scope: Scope) {
  const named = tree(of, 'variable');
  const over = after(of, 'IN');
  if (named === undefined || over === undefined) throw refuse(`the expression ${words(of.rule)}`, of);
  const list = soundExpression(over, scope);
  const variable = new Variable();
  return { variable, list, local: scope.with([[nameOf(named), variable, elementOf(list.kind)]]) };
}

/** `reduce(sum = 0, x IN list | …)` */
export function reduction(of: Tree, scope: Scope): Typed {
  const [accumulator] = trees(of, 'variable');
  const [each] = trees(of, 'variable').slice(1);
  const start = after(of, 'EQ');
  const over = after(of, 'IN');
  const body = after(of, 'BAR');
  if (!accumulator || !each || !start || !over || !body) throw refuse('this REDUCE', of);
  const initial = expression(start, scope);
  const list = soundExpression(over, scope);
  const [sum, element] = [new Variable(), new Variable()];
  const local = (kind: Kind): Scope =>
    scope.with([
      [nameOf(accumulator), sum, kind],
      [nameOf(each), element, elementOf(list.kind)],
    ]);
  // Each try reads the body anew, and so do the tries of what is nested in it.
  scope.rewrite.enter('REDUCE', of);
  let kind = initial.kind;
  let step = expression(body, local(kind));
  for (let tries = 0; tries < 2 && !isSame(kind, either(kind, step.kind)); tries++) {
    // What it is after one step it is after all, or it is of no kind that is known.
    kind = tries === 0 ? either(kind, step.kind) : any;
    step = expression(body, local(kind));
  }
  scope.rewrite.leave();
  return {
    value: cypher`reduce(${sum} = ${initial.value}, ${element} IN ${list.value} | ${step.value})`,
    kind: either(kind, step.kind),
  };
}

/** Maps are never the same: the members of one that grows have no end. */
function isSame(one: Kind, other: Kind): boolean {
  if (one.is === 'list' && other.is === 'list') return isSame(one.of, other.of);
  return one.is === other.is && one.is !== 'list' && one.is !== 'map';
}
