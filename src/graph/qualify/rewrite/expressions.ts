import { after, has, isTree, nameOf, plain, type Tree, tree, trees, type Word } from '../grammar/tree.ts';
import { realType } from '../text/conditions.ts';
import { functionNamed, functionOf, isAggregate, resultOf, revealsAll, takesElements } from '../text/functions.ts';
import { any, data, either, elementOf, isData, type Kind, listOf, nothing } from '../text/kinds.ts';
import { cypher, join, list, literal, operation, type Part, type Piece } from '../text/piece.ts';
import { compared, comparison, whenText } from './comparisons.ts';
import { keyword } from './labels.ts';
import { listComprehension, listItemsPredicate, listLiteral, reduction } from './lists.ts';
import { mapLiteral, mapProjection } from './maps.ts';
import { bound, readProperty, readVariable, sound, type Typed } from './properties.ts';
import { type Rewrite, refuse, required, words } from './rewrite.ts';
import type { Scope } from './scope.ts';
import { patternComprehension, patternExpression, subquery } from './subqueries.ts';
import { apart, together } from './together.ts';
import { writtenValue } from './writtenValue.ts';

/** Rewrites an expression so that all it reads qualifies. */
export function expression(of: Tree, scope: Scope): Typed {
  const known = scope.projected.size > 0 ? scope.projected.get(plain(of)) : undefined;
  if (known) return known;
  const rewritten = forms[of.rule];
  if (rewritten === undefined) throw refuse(`the expression ${words(of.rule)}`, of);
  return rewritten(of, scope);
}

/** The same, and of its type whatever somebody has written in its place: what it is given to could fail. */
export function soundExpression(of: Tree, scope: Scope): Typed {
  return sound(expression(of, scope));
}

type Form = (of: Tree, scope: Scope) => Typed;

const within: Form = (of, scope) => apart(scope.rewrite, () => subquery(of, scope));

/** By the rules of the grammar; those of operators have numbers. */
const forms: Readonly<Record<string, Form | undefined>> = {
  ...Object.fromEntries(['', 11, 10, 5, 4, 3].map((level) => [`expression${level}`, operated])),
  expression9: negated,
  expression8: compared,
  expression7: comparison,
  expression6: sum,
  expression2: postfixed,
  literal: written,
  parameter: (of, scope) => ({ value: parameter(scope.rewrite, of), kind: data }),
  countStar: () => ({ value: cypher`count(*)`, kind: data }),
  reference: readVariable,
  parenthesizedExpression: inside,
  caseExpression: cases,
  extendedCaseExpression: cases,
  listLiteral,
  trimFunction: trimmed,
  normalizeFunction: normalized,
  mapProjection: (of, scope) => together(of, scope, () => mapProjection(of, scope)),
  listComprehension,
  listItemsPredicate,
  reduceExpression: reduction,
  patternComprehension: (of, scope) => apart(scope.rewrite, () => patternComprehension(of, scope)),
  patternExpression: (of, scope) => apart(scope.rewrite, () => patternExpression(of, scope)),
  existsExpression: within,
  countExpression: within,
  collectExpression: within,
  functionInvocation: call,
};

/** A keyword or sign as Concord writes it. */
export function wordText(of: Tree | Word, at: Tree): Piece {
  if (isTree(of)) throw refuse(`the expression ${words(of.rule)}`, at);
  return keyword(of.word, at);
}

/** Operators and what stands between them, in parentheses. */
function operated(of: Tree, scope: Scope): Typed {
  const parts = of.parts.map((part): Part => (isTree(part) ? expression(part, scope).value : wordText(part, of)));
  return { value: operation`${join(parts, cypher` `)}`, kind: data };
}

function negated(of: Tree, scope: Scope): Typed {
  const { rewrite } = scope;
  rewrite.negations += 1;
  const made = operated(of, scope);
  rewrite.negations -= 1;
  return made;
}

function inside(of: Tree, scope: Scope): Typed {
  const only = required(trees(of)[0], 'an empty expression', of);
  return expression(only, scope);
}

function sum(of: Tree, scope: Scope): Typed {
  const operands = trees(of).map((each) => expression(each, scope));
  const kind = operands.every((each) => isData(each.kind))
    ? data
    : listOf(
        operands
          .map((each) => (each.kind.is === 'list' ? each.kind.of : each.kind))
          .reduce((one, other) => either(one, other), nothing),
      );
  let index = 0;
  const parts = of.parts.map(
    (part): Part => (isTree(part) ? (operands[index++]?.value ?? cypher``) : wordText(part, of)),
  );
  return { value: operation`${join(parts, cypher` `)}`, kind };
}

function postfixed(of: Tree, scope: Scope): Typed {
  const read = asItIs(of, scope);
  return scope.rewrite.isOwn && read.isPlain ? read : sound(read);
}

/** The same, whatever somebody has written in the place of a property. */
export function asItIs(of: Tree, scope: Scope): Typed {
  const known = scope.projected.size > 0 ? scope.projected.get(plain(of)) : undefined;
  if (known) return known;
  const [base, ...postfixes] = trees(of);
  if (base === undefined) throw refuse(`the expression ${words(of.rule)}`, of);
  let typed = expression(base, scope);
  let source = plain(base);
  for (const postfix of postfixes) {
    source += ` ${plain(postfix)}`;
    typed = scope.projected.get(source) ?? postfixOf(postfix, sound(typed), scope);
  }
  return typed;
}

function postfixOf(of: Tree, from: Typed, scope: Scope): Typed {
  const named = tree(of, 'property');
  const key = named && tree(named, 'propertyKeyName');
  if (key) return readProperty(scope.rewrite, from, nameOf(key), key);
  const { value, kind } = from;
  if (has(of, 'DOTDOT')) {
    const bounds = of.parts.flatMap((part): Part[] => {
      if (isTree(part)) return [expression(part, scope).value];
      return part.word === 'DOTDOT' ? [cypher`..`] : [];
    });
    return { value: cypher`${value}[${join(bounds)}]`, kind };
  }
  const [at] = trees(of);
  if (at === undefined) throw refuse(`the expression ${words(of.rule)}`, of);
  const text = cypher`${value}[${expression(at, scope).value}]`;
  const literalKey = stringOf(at);
  if (kind.is === 'list' || isData(kind)) return { value: text, kind: elementOf(kind) };
  if (kind.is === 'map' && literalKey === undefined) return { value: text, kind: any };
  if (literalKey === undefined) throw refuse('a property whose name is only known when it runs', of);
  return readProperty(scope.rewrite, from, literalKey, of);
}

/** The text of a string literal, if it is one. */
function stringOf(of: Tree): string | undefined {
  const value = of.rule === 'literal' ? writtenValue(of) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** A parameter of the caller's. */
function parameter(rewrite: Rewrite, of: Tree): Part {
  const name = nameOf(tree(of, 'parameterName') ?? of);
  if (!rewrite.parameters.has(name)) rewrite.parameters.set(name, of);
  return { is: 'given', name };
}

function written(of: Tree, scope: Scope): Typed {
  const map = tree(of, 'map');
  if (map) return together(map, scope, () => mapLiteral(map, scope));
  if (has(of, 'NULL')) return { value: cypher`null`, kind: nothing };
  const value = writtenValue(of);
  if (value !== undefined) return { value: literal(value), kind: data };
  return { value: has(of, 'TRUE') ? cypher`true` : cypher`false`, kind: data };
}

/** `CASE … END` */
function cases(of: Tree, scope: Scope): Typed {
  const kinds: Kind[] = [];
  const result = (each: Tree | undefined): Part => {
    if (each === undefined) throw refuse('this CASE', of);
    const { value, kind } = expression(each, scope);
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
      part.rule === 'extendedWhen' ? whenText(part, scope) : expression(part, scope).value,
    );
    return cypher` WHEN ${list(texts)} THEN ${result(then)}`;
  });
  const value = operand ? cypher` ${expression(operand, scope).value}` : cypher``;
  const last = otherwise ? cypher` ELSE ${result(otherwise)}` : cypher``;
  return {
    value: operation`CASE${value}${join(when)}${last} END`,
    kind: kinds.reduce(either, nothing),
  };
}

function normalized(of: Tree, scope: Scope): Typed {
  const form = tree(of, 'normalForm')?.parts[0];
  const { value } = inside(of, scope);
  return {
    value: form ? cypher`normalize(${value}, ${wordText(form, of)})` : cypher`normalize(${value})`,
    kind: data,
  };
}

function trimmed(of: Tree, scope: Scope): Typed {
  const parts = of.parts.slice(2, -1).map((part): Part => {
    if (isTree(part)) return expression(part, scope).value;
    return part.word === 'FROM' ? cypher`FROM` : wordText(part, of);
  });
  return { value: cypher`trim(${join(parts, cypher` `)})`, kind: data };
}

function call(of: Tree, scope: Scope): Typed {
  const { rewrite } = scope;
  const name = functionOf(of);
  const given = trees(of, 'functionArgument').flatMap((each) => trees(each));
  if (name === 'exists') {
    const [only] = given;
    if (only?.rule !== 'patternExpression') throw refuse('exists() of anything but a pattern', of);
    return expression(only, scope);
  }
  const called = functionNamed(name);
  if (called === undefined) throw refuse(`the function ${tree(of, 'functionName')?.source}`, of);
  const args = given.map((each) => soundExpression(each, scope));
  const [first] = args;
  const kinds = args.map(({ kind }) => kind);
  if (revealsAll(name, kinds)) throw refuse(`${name}() of a node or relationship`, of, 'name the properties');
  if (
    rewrite.limited &&
    !takesElements(name) &&
    !kinds.every((kind) => isData(kind) || name === 'keys' || name === 'properties')
  )
    throw refuse(`${name}() of a node or relationship`, of, 'name the properties');
  if (name === 'type' && rewrite.shape.asOf && first) {
    if (first.kind.is !== 'relationship') throw refuse('type() of what is no relationship for sure', of);
    return { value: bound(first.value, realType), kind: data };
  }
  const distinct = has(of, 'DISTINCT') ? cypher`DISTINCT ` : cypher``;
  const values = args.map(({ value }) => value);
  if (rewrite.aggregated && given[0] && values[0] && isAggregate(name))
    values[0] = rewrite.aggregated.take(given[0], values[0]);
  return { value: cypher`${called}(${distinct}${list(values)})`, kind: resultOf(name, kinds) };
}
