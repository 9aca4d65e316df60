import { isAggregate, isAllowed, resultOf, revealsAll } from './functions.ts';
import {
  any,
  data,
  either,
  elementOf,
  isData,
  type Kind,
  listOf,
  mapOf,
  memberOf,
  nothing,
} from './kinds.ts';
import { labelText, typeCondition } from './labels.ts';
import { listComprehension, listItemsPredicate, reduction } from './lists.ts';
import { mapProjection } from './mapProjection.ts';
import { readProperty, type Typed } from './properties.ts';
import { type Rewrite, refuse, words } from './rewrite.ts';
import type { Scope } from './scope.ts';
import { patternComprehension, patternExpression, subquery } from './subqueries.ts';
import { after, has, isTree, nameOf, plain, type Tree, tree, trees } from './tree.ts';

/** Rewrites an expression so that all it reads qualifies. */
export function expression(rewrite: Rewrite, of: Tree, scope: Scope): Typed {
  const known = scope.projected.size > 0 ? scope.projected.get(plain(of)) : undefined;
  if (known) return known;
  switch (of.rule) {
    case 'expression':
    case 'expression11':
    case 'expression10':
    case 'expression9':
    case 'expression8':
    case 'expression5':
    case 'expression4':
    case 'expression3':
    case 'trimFunction':
    case 'normalizeFunction':
      return { text: joined(rewrite, of, scope), kind: data };
    case 'expression7':
      return comparison(rewrite, of, scope);
    case 'expression6':
      return sum(rewrite, of, scope);
    case 'expression2':
      return postfixed(rewrite, of, scope);
    case 'literal':
      return literal(rewrite, of, scope);
    case 'parameter':
    case 'countStar':
      return { text: of.source, kind: data };
    case 'reference':
      return { text: of.source, kind: scope.kindOf(nameOf(of)) };
    case 'parenthesizedExpression': {
      const inner = inside(rewrite, of, scope);
      return { text: `(${inner.text})`, kind: inner.kind };
    }
    case 'caseExpression':
    case 'extendedCaseExpression':
      return cases(rewrite, of, scope);
    case 'listLiteral': {
      const elements = trees(of).map((each) => expression(rewrite, each, scope));
      const kind = elements.reduce((all, each) => either(all, each.kind), nothing);
      return { text: `[${elements.map(({ text }) => text).join(', ')}]`, kind: listOf(kind) };
    }
    case 'mapProjection':
      return mapProjection(rewrite, of, scope);
    case 'listComprehension':
      return listComprehension(rewrite, of, scope);
    case 'listItemsPredicate':
      return listItemsPredicate(rewrite, of, scope);
    case 'reduceExpression':
      return reduction(rewrite, of, scope);
    case 'patternComprehension':
      return patternComprehension(rewrite, of, scope);
    case 'patternExpression':
      return patternExpression(rewrite, of, scope);
    case 'existsExpression':
    case 'countExpression':
    case 'collectExpression':
      return subquery(rewrite, of, scope);
    case 'functionInvocation':
      return call(rewrite, of, scope);
    default:
      throw refuse(`the expression ${words(of.rule)}`, of);
  }
}

/** Pieces without anything that is read. */
const leaves = new Set('type normalForm'.split(' '));

/** The piece with its expressions rewritten. */
export function joined(rewrite: Rewrite, of: Tree, scope: Scope): string {
  return of.parts
    .map((part) => {
      if (!isTree(part)) return part.text;
      if (leaves.has(part.rule)) return part.source;
      return pieces.has(part.rule) ? joined(rewrite, part, scope) : expression(rewrite, part, scope).text;
    })
    .join(' ');
}

/** Rules that are part of an expression without being one. */
const pieces = new Set([
  'comparisonExpression6',
  'extendedCaseAlternative',
  'extendedWhen',
  'caseAlternative',
]);

function inside(rewrite: Rewrite, of: Tree, scope: Scope): Typed {
  const [only] = trees(of);
  if (only === undefined) throw refuse('an empty expression', of);
  return expression(rewrite, only, scope);
}

function comparison(rewrite: Rewrite, of: Tree, scope: Scope): Typed {
  const [operand, test] = trees(of);
  if (operand === undefined || test === undefined) throw refuse(`the expression ${words(of.rule)}`, of);
  const labels = tree(test, 'labelExpression4');
  if (labels === undefined) return { text: joined(rewrite, of, scope), kind: data };
  if (has(test, 'LABELED')) throw refuse('IS LABELED', test);
  const { text, kind } = expression(rewrite, operand, scope);
  const not = has(test, 'NOT') ? 'NOT ' : '';
  if (kind.is === 'node' || !rewrite.shape.asOf) {
    const named = kind.is === 'node' ? 'labels' : kind.is === 'relationship' ? 'types' : 'unsure';
    return { text: `(${not}${text}:${labelText(rewrite, labels, named)})`, kind: data };
  }
  if (kind.is !== 'relationship') throw refuse('a label test of what may or may not be a node', test);
  return { text: `(${not}(${typeCondition(rewrite, labels, realType(text))}))`, kind: data };
}

const realType = (edge: string) => `coalesce(${edge}.relationshipType, type(${edge}))`;

function sum(rewrite: Rewrite, of: Tree, scope: Scope): Typed {
  const operands = trees(of).map((each) => expression(rewrite, each, scope));
  const kind = operands.every((each) => isData(each.kind))
    ? data
    : listOf(
        operands
          .map((each) => (each.kind.is === 'list' ? each.kind.of : each.kind))
          .reduce((one, other) => either(one, other), nothing),
      );
  let index = 0;
  const text = of.parts.map((part) => (isTree(part) ? operands[index++]?.text : part.text)).join(' ');
  return { text, kind };
}

function postfixed(rewrite: Rewrite, of: Tree, scope: Scope): Typed {
  const [base, ...postfixes] = trees(of);
  if (base === undefined) throw refuse(`the expression ${words(of.rule)}`, of);
  let typed = expression(rewrite, base, scope);
  let isVariable = base.rule === 'reference';
  let source = plain(base);
  for (const postfix of postfixes) {
    source += ` ${plain(postfix)}`;
    const known = scope.projected.get(source);
    typed = known ?? postfixOf(rewrite, postfix, { ...typed, isVariable }, scope);
    isVariable = false;
  }
  return typed;
}

function postfixOf(rewrite: Rewrite, of: Tree, from: Typed & { isVariable: boolean }, scope: Scope): Typed {
  const property = tree(of, 'property');
  const key = property && tree(property, 'propertyKeyName');
  if (key) return readProperty(rewrite, from, { source: key.source, name: nameOf(key) }, key);
  const inner = trees(of);
  const texts = inner.map((each) => expression(rewrite, each, scope).text);
  if (has(of, 'DOTDOT')) {
    let index = 0;
    const range = of.parts.map((part) => (isTree(part) ? texts[index++] : part.text)).join(' ');
    return { text: `${from.text}${range}`, kind: from.kind };
  }
  const text = `${from.text}[${texts[0]}]`;
  const { kind } = from;
  const literalKey = stringOf(inner[0]);
  if (kind.is === 'list' || isData(kind)) return { text, kind: elementOf(kind) };
  if (kind.is === 'map') return { text, kind: literalKey === undefined ? any : memberOf(kind, literalKey) };
  if (literalKey === undefined) throw refuse('a property whose name is only known when it runs', of);
  return readProperty(
    rewrite,
    from,
    { source: `\`${literalKey.replaceAll('`', '``')}\``, name: literalKey },
    of,
  );
}

/** The text of a string literal, if it is one without escapes. */
function stringOf(of: Tree | undefined): string | undefined {
  const string = of?.rule === 'literal' ? tree(of, 'stringLiteral')?.source : undefined;
  return string?.includes('\\') ? undefined : string?.slice(1, -1);
}

function literal(rewrite: Rewrite, of: Tree, scope: Scope): Typed {
  const map = tree(of, 'map');
  if (map) return mapLiteral(rewrite, map, scope);
  return { text: of.source, kind: has(of, 'NULL') ? nothing : data };
}

function mapLiteral(rewrite: Rewrite, of: Tree, scope: Scope): Typed {
  const keys = trees(of, 'propertyKeyName');
  const values = trees(of)
    .filter((each) => each.rule !== 'propertyKeyName')
    .map((each, index) => identity(each, keys[index], scope) ?? expression(rewrite, each, scope));
  const members = keys.map((key, index) => `${key.source}: ${values[index]?.text}`);
  const kinds = keys.map((key, index): [string, Kind] => [nameOf(key), values[index]?.kind ?? any]);
  return { text: `{${members.join(', ')}}`, kind: mapOf(new Map(kinds)) };
}

/** @neo4j/graphql marks nodes of which nothing is selected by `__id: elementId(n)`; an entity's own id marks it as well. */
function identity(value: Tree, key: Tree | undefined, scope: Scope): Typed | undefined {
  const named = key?.source === '__id' ? tree(value, 'functionName') : undefined;
  const argument = tree(tree(value, 'functionArgument') ?? value, 'reference');
  if (named?.source !== 'elementId' || argument === undefined) return undefined;
  return scope.kindOf(nameOf(argument)).is === 'node'
    ? { text: `${argument.source}.id`, kind: data }
    : undefined;
}

function cases(rewrite: Rewrite, of: Tree, scope: Scope): Typed {
  if (rewrite.shape.asOf && trees(of, 'extendedCaseAlternative').some(testsLabels))
    throw refuse('a label test in WHEN', of);
  const kinds: Kind[] = [];
  const result = (each: Tree) => {
    const { text, kind } = expression(rewrite, each, scope);
    kinds.push(kind);
    return text;
  };
  const otherwise = after(of, 'ELSE');
  if (otherwise === undefined) kinds.push(nothing);
  const text = of.parts.map((part) => {
    if (!isTree(part)) return part.text;
    if (part === otherwise) return result(part);
    if (!part.rule.endsWith('aseAlternative')) return expression(rewrite, part, scope).text;
    const then = after(part, 'THEN');
    const pieces = part.parts.map((each) => {
      if (!isTree(each)) return each.text;
      if (each === then) return result(each);
      return each.rule === 'extendedWhen'
        ? joined(rewrite, each, scope)
        : expression(rewrite, each, scope).text;
    });
    return pieces.join(' ');
  });
  return { text: text.join(' '), kind: kinds.reduce(either, nothing) };
}

function testsLabels(of: Tree): boolean {
  return trees(of).some((each) => each.rule === 'labelExpression4' || testsLabels(each));
}

function call(rewrite: Rewrite, of: Tree, scope: Scope): Typed {
  const named = tree(of, 'functionName');
  const name = named ? plain(named).replace(/[\s`]/g, '').toLowerCase() : '';
  if (!isAllowed(name)) throw refuse(`the function ${named?.source}`, of);
  const args = trees(of, 'functionArgument').map((each) => inside(rewrite, each, scope));
  const [first] = args;
  if (name === 'exists') {
    const only = trees(of, 'functionArgument').flatMap((each) => trees(each))[0];
    if (only?.rule !== 'patternExpression') throw refuse('exists() of anything but a pattern', of);
    return first ?? { text: 'false', kind: data };
  }
  const kinds = args.map(({ kind }) => kind);
  if (revealsAll(name, kinds)) throw refuse(`${name}() of a node or relationship`, of, 'name the properties');
  if (name === 'type' && rewrite.shape.asOf && first) return { text: realType(first.text), kind: data };
  const distinct = has(of, 'DISTINCT') ? 'DISTINCT ' : has(of, 'ALL') ? 'ALL ' : '';
  const texts = args.map((each) => each.text);
  if (rewrite.aggregated && texts[0] !== undefined && isAggregate(name))
    texts[0] = rewrite.aggregated.take(texts[0]);
  const text = `${named?.source}(${distinct}${texts.join(', ')})`;
  return { text, kind: resultOf(name, kinds) };
}

/** Whether an expression aggregates, outside of its sub-queries. */
export function aggregates(of: Tree): boolean {
  if (of.rule === 'countStar') return true;
  if (of.rule === 'queryWithLocalDefinitions') return false;
  const name = of.rule === 'functionInvocation' ? tree(of, 'functionName') : undefined;
  if (name && isAggregate(plain(name).replace(/[\s`]/g, '').toLowerCase())) return true;
  return trees(of).some(aggregates);
}
