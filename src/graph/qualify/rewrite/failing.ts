import { has, isTree, nameOf, type Tree, tree, trees } from '../grammar/tree.ts';
import { functionOf } from '../text/functions.ts';
import type { Kind } from '../text/kinds.ts';
import { Variable } from '../text/piece.ts';
import { declared } from './place.ts';
import type { Scope } from './scope.ts';

/*
 * Whether an expression can fail for some values. What cannot may be asked of the graph in any order; what can is asked
 * only of what is visible (`conjunction.ts`). What isn't known here is taken to fail.
 */

/** Rules of which nothing fails but what they hold. */
const neverFail = new Set([
  'expression8',
  'comparisonExpression6',
  'listLiteral',
  'map',
  'type',
  'patternExpression',
  'pathPatternNonEmpty',
  'nodePattern',
  'relationshipPattern',
  'properties',
  'pathLength',
  'quantifier',
  'leftArrow',
  'rightArrow',
  'arrowLine',
  'queryWithLocalDefinitions',
  'nextStatement',
  'regularQuery',
  'union',
  'returnClause',
  'returnBody',
  'returnItems',
  'returnItem',
  'patternList',
  'pattern',
  'anonymousPattern',
  'patternElement',
  'countStar',
]);

const safeFunctions = new Set(['coalesce', 'exists', 'elementid', 'count', 'collect', 'valuetype']);
/** Functions of a node or of a relationship, and nothing else. */
const ofElements = new Map<string, Kind['is']>([
  ['labels', 'node'],
  ['type', 'relationship'],
  ['startnode', 'relationship'],
  ['endnode', 'relationship'],
]);

/**
 * @param scope knows what its variables are
 * @param asCondition whether it must be true, false or unknown: anything else fails
 */
export function mayFail(of: Tree, scope: Scope, asCondition: boolean): boolean {
  const value = (each: Tree) => mayFail(each, scope, false);
  const condition = (each: Tree) => mayFail(each, scope, true);
  if (of.rule === 'variable' || of.rule === 'reference') return asCondition;
  if (isName.test(of.rule)) return false;
  switch (of.rule) {
    case 'expression':
    case 'expression11':
    case 'expression10':
    case 'expression9':
      return trees(of).some(condition);
    case 'parenthesizedExpression':
      return trees(of).some(asCondition ? condition : value);
    case 'expression7':
      return comparisonMayFail(scope, of, value);
    case 'whereClause':
      return trees(of).some(condition);
    case 'existsExpression':
    case 'countExpression':
      return (asCondition && of.rule === 'countExpression') || partsMayFail(of, scope);
    case 'singleQuery':
      return queryMayFail(of, scope);
    case 'literal':
      if (asCondition) return !(has(of, 'TRUE') || has(of, 'FALSE') || has(of, 'NULL'));
      return trees(of)
        .filter(({ rule }) => rule === 'map')
        .some(value);
    case 'parameter':
      return asCondition;
    case 'expression2':
      return asCondition || !readsElement(of, scope);
    case 'functionInvocation':
      return callMayFail(of, scope, asCondition, value);
    default:
      if (!neverFail.has(of.rule) || (asCondition && isValue.has(of.rule))) return true;
      return trees(of).some((each) => (holdsCondition(of, each) ? condition(each) : value(each)));
  }
}

/** Patterns with their condition, or a whole query. */
function partsMayFail(of: Tree, scope: Scope): boolean {
  const inner = withPatterns(of, scope);
  return trees(of).some((each) => mayFail(each, inner, false));
}

function withPatterns(of: Tree, scope: Scope): Scope {
  const names = trees(of, 'patternList').flatMap((each) => trees(each).flatMap(declared));
  return scope.with(names.map(([name, kind]) => [name, new Variable(), kind]));
}

/** Nothing but `MATCH` and `RETURN` is known not to fail. */
function queryMayFail(of: Tree, scope: Scope): boolean {
  let here = scope;
  return trees(of, 'clause').some((clause) => {
    const [only] = trees(clause);
    if (only?.rule !== 'matchClause') return only?.rule !== 'returnClause' || mayFail(only, here, false);
    here = withPatterns(only, here);
    return trees(only).some((each) => mayFail(each, here, false));
  });
}

/** Names and labels. */
const isName = /Name|^label/;

/** What is neither true nor false. */
const isValue = new Set(['listLiteral', 'countStar', 'map']);

/** Whether this is the `WHERE` of a pattern. */
function holdsCondition(of: Tree, part: Tree): boolean {
  if (of.rule !== 'nodePattern' && of.rule !== 'relationshipPattern') return false;
  const at = of.parts.indexOf(part);
  const before = of.parts[at - 1];
  return before !== undefined && !isTree(before) && before.word === 'WHERE';
}

function comparisonMayFail(scope: Scope, of: Tree, value: (each: Tree) => boolean): boolean {
  const { rewrite } = scope;
  const [left, test] = trees(of);
  if (left === undefined || test === undefined || value(left) || has(test, 'REGEQ')) return true;
  if (has(test, 'NORMALIZED')) return true;
  // Of what is no node and no relationship a label test fails.
  if (tree(test, 'labelExpression4')) return !isOneOf(['node', 'relationship'], left, scope);
  const [right] = trees(test);
  if (!has(test, 'IN') || right === undefined) return trees(test).some(value);
  const name = right.rule === 'parameter' ? tree(right, 'parameterName') : undefined;
  // A list or nothing: looked at before the query runs.
  if (name) rewrite.lists.add(nameOf(name));
  return name === undefined && (right.rule !== 'listLiteral' || value(right));
}

/** Whether it is a property of what is a node or a relationship for sure. */
function readsElement(of: Tree, scope: Scope): boolean {
  const [base, postfix, ...more] = trees(of);
  if (!base || !postfix || more.length > 0 || !tree(postfix, 'property')) return false;
  return isOneOf(['node', 'relationship'], base, scope);
}

/** Whether it is a variable that is one of these for sure. */
function isOneOf(kinds: Kind['is'][], of: Tree, scope: Scope): boolean {
  return of.rule === 'reference' && kinds.includes(scope.kindOf(nameOf(of)).is);
}

function callMayFail(of: Tree, scope: Scope, asCondition: boolean, value: (each: Tree) => boolean): boolean {
  const name = functionOf(of);
  const args = trees(of, 'functionArgument').flatMap((each) => trees(each));
  if (name === 'exists') return args.some(value);
  if (asCondition) return true;
  if (safeFunctions.has(name)) return args.some(value);
  const element = ofElements.get(name);
  return element === undefined || !args.every((each) => isOneOf([element], each, scope));
}
