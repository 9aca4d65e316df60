import { after, has, isRule, isTree, nameOf, plain, type Tree, tree, trees, type Word } from '../grammar/tree.ts';
import type { Kind } from '../text/kinds.ts';
import {
  count,
  cypher,
  holdsCollection,
  holdsSubquery,
  join,
  list,
  nothing,
  type Part,
  type Piece,
  Variable,
} from '../text/piece.ts';
import { conditionsAround, conditionsOf, Own, whereOf } from './conjunction.ts';
import { anyNode, nodePattern, relationshipPattern } from './patternElements.ts';
import { type Declared, declared, type Place } from './place.ts';
import { refuse, required, words } from './rewrite.ts';
import type { Named, Scope } from './scope.ts';
import { noteStartingPoints } from './startingPoints.ts';
import { countOf } from './writtenValue.ts';

/** Patterns that match only what qualifies. */
export interface Patterns {
  /** With its `WHERE`. */
  text: Piece;
  /** The clause behind it that asks what must wait; nothing where nothing does. */
  behind: Piece;
  /** The edges that the patterns match, as expressions of lists. */
  edges: Part[];
  /** With the variables that the patterns bind. */
  scope: Scope;
}

/**
 * @param condition the caller's behind them
 * @param hasHorizon whether a clause may stand behind them
 */
export function patterns(given: Tree[], outside: Scope, condition: Tree | undefined, hasHorizon: boolean): Patterns {
  noteStartingPoints(given, condition, outside);
  const variables = named(given.flatMap(declared), outside);
  const scope = outside.with(variables);
  checkBound(given, outside);
  const sure = variables.filter(([name]) => outside.isSure(name));
  const own = new Own();
  const place: Place = {
    scope,
    outside,
    bound: new Set(sure.map(([, variable]) => variable)),
    own,
    where: [],
    existence: new Map(),
    guards: [],
    apart: false,
    repeated: false,
    paths: new Set(),
    edges: [],
  };
  const pieces = given.map((each) => pattern(place, each));
  if (condition) own.add(condition, scope);
  // What is asked of a shortest path takes part in the search for it.
  const isShortest = given.some((each) => contains(each, 'shortestPathPattern'));
  if (isShortest && condition && place.paths.size > 0) checkSearch(condition, own);
  const isAround = hasHorizon && !isShortest;
  scope.proven = new Map([...outside.proven, ...own.proven]);
  const { before, behind } = isAround ? conditionsAround(place) : { before: conditionsOf(place), behind: nothing };
  return { text: cypher`${list(pieces)}${whereOf(before)}`, behind, edges: place.edges, scope };
}

/**
 * Neo4j 5.26 fails where it asks the relationships of a shortest path one by one and beside that a sub-query for each
 * of a list.
 * @throws RefusedCypher
 */
function checkSearch(condition: Tree, { risky }: Own): void {
  const isOfEach = ofEach.some((rule) => condition.rule === rule || contains(condition, rule));
  if (!isOfEach || !risky.some(holdsSubquery)) return;
  const construct = 'a sub-query or a value that must qualify, for each of a list, in the search for a shortest path';
  throw refuse(construct, condition, 'ask for it behind the path');
}

const ofEach = ['listItemsPredicate', 'listComprehension', 'reduceExpression'];

/** @throws RefusedCypher where a variable stands for what it may not be, or for several relationships */
function checkBound(given: readonly Tree[], outside: Scope): void {
  const here = new Map<string, { kind: Kind; path: Tree | undefined }>();
  for (const pattern of given) {
    for (const [name, kind, path] of declared(pattern)) {
      const before = here.get(name);
      const found = (before ?? outside.find(name))?.kind;
      here.set(name, { kind, path });
      // In one repeated path a node may stand several times, and not in two of them.
      const isNode = (kind.is === 'list' && path && path === before?.path ? kind.of : kind).is === 'node';
      if (found && (found.is !== kind.is || !(isNode || (kind.is === 'relationship' && !before))))
        throw refuse(`the variable ${name} once more, as what it may not be`, pattern);
    }
  }
}

/** The variables of these names: those that are there, and new ones. */
function named(names: Declared[], outside: Scope): Named[] {
  const found = new Map<string, Variable>();
  return names.map(([name, kind]) => {
    const variable = outside.find(name)?.variable ?? found.get(name) ?? new Variable();
    found.set(name, variable);
    return [name, variable, kind];
  });
}

function pattern(place: Place, of: Tree): Piece {
  switch (of.rule) {
    case 'pattern': {
      const selector = tree(of, 'pathPatternPrefix');
      // Neo4j 5.26 doesn't look at its limit of time in this search: two paths of which there is one took it hours.
      if (selector)
        throw refuse(
          `the path selector ${selector.source}`,
          selector,
          'use shortestPath(…) or allShortestPaths(…), which end when their time is up',
        );
      const path = tree(of, 'variable');
      const variable = path && place.scope.find(nameOf(path))?.variable;
      const inner = pattern(place, tree(of, 'anonymousPattern') ?? of);
      return cypher`${variable ? cypher`${variable} = ` : nothing}${inner}`;
    }
    case 'patternElement':
    case 'pathPatternNonEmpty':
      return elements(place, of);
    case 'patternComprehension':
      return join(trees(of, 'pathPatternNonEmpty').map((each) => elements(place, each)));
    case 'anonymousPattern':
      return join(trees(of).map((each) => pattern(place, each)));
    case 'shortestPathPattern': {
      const inner = tree(of, 'patternElement');
      if (inner === undefined) throw refuse(`the pattern ${words(of.rule)}`, of);
      const chosen = has(of, 'SHORTEST_PATH') ? cypher`shortestPath` : cypher`allShortestPaths`;
      if (!contains(inner, 'pathLength'))
        throw refuse('a shortest path without a length', of, 'write -[*]-, or -[*..1]- for one relationship');
      // It fails where both ends are one node, so they must be known to be there by themselves.
      return cypher`${chosen}(${elements({ ...place, apart: true }, inner)})`;
    }
    default:
      throw refuse(`the pattern ${words(of.rule)}`, of);
  }
}

function contains(of: Tree, rule: string): boolean {
  return trees(of).some((each) => each.rule === rule || contains(each, rule));
}

/** Nodes, relationships and paths in parentheses, one after another. */
function elements(place: Place, of: Tree): Piece {
  const { parts } = of;
  const pieces: Piece[] = [];
  parts.forEach((part, index) => {
    if (!isTree(part)) throw refuse(`the pattern ${words(of.rule)}`, of);
    place.scope.rewrite.elements += 1;
    if (part.rule === 'quantifier') pieces.push(quantifierText(part));
    else if (part.rule === 'nodePattern') {
      const behind = isRule(parts[index - 1], 'quantifier') ? parts[index - 2] : parts[index - 1];
      const joins = isOneOrMore(behind, parts) || isOneOrMore(parts[index + 1], parts);
      pieces.push(nodePattern(place, part, joins));
    } else if (part.rule === 'relationshipPattern') {
      pieces.push(relationshipPattern(place, part, isRule(parts[index + 1], 'quantifier')));
    } else {
      // A repeated path may be no path at all, and then its ends are any node.
      const repeated = tree(part, 'quantifier') !== undefined;
      if (repeated && !isRule(parts[index - 1], 'nodePattern')) pieces.push(anyNode(place));
      pieces.push(parenthesizedPath(place, part));
      if (repeated && parts[index + 1] === undefined) pieces.push(anyNode(place));
    }
  });
  return join(pieces, cypher` `);
}

/** Whether this is a relationship pattern that matches at least one relationship. */
function isOneOrMore(part: Tree | Word | undefined, parts: readonly (Tree | Word)[]): boolean {
  if (!isRule(part, 'relationshipPattern')) return false;
  const next = parts[parts.indexOf(part) + 1];
  const quantifier = isRule(next, 'quantifier') ? next : undefined;
  const range = quantifier ?? tree(part, 'pathLength');
  if (range === undefined) return true;
  const text = plain(range).replace(/[\s_]/g, '');
  // `*`, `*3`, `*1..3` and `+`, `{3}`, `{1,3}`: the number before anything else is the least.
  if (quantifier) return text === '+' || /^\{0*[1-9]/.test(text);
  return text === '*' || text.startsWith('*..') || /^\*0*[1-9]/.test(text);
}

/** `+`, `*`, `{3}`, `{1,3}` */
function quantifierText(of: Tree): Piece {
  if (has(of, 'PLUS')) return cypher`+`;
  if (has(of, 'TIMES')) return cypher`*`;
  const parts = of.parts.map((part): Part => {
    if (isTree(part)) throw refuse('a quantifier of this form', of);
    if (part.word === 'LCURLY') return cypher`{`;
    if (part.word === 'RCURLY') return cypher`}`;
    return part.word === 'COMMA' ? cypher`,` : count(countOf(part.text, of));
  });
  return join(parts);
}

function parenthesizedPath(place: Place, of: Tree): Piece {
  const inner = required(tree(of, 'pattern'), 'a path without a pattern', of);
  const quantifier = tree(of, 'quantifier');
  const condition = after(of, 'WHERE');
  // In a repeated path a variable stands for one node or relationship, outside for a list of them; and it sees no
  // others of the patterns.
  const scope = (quantifier ? place.outside : place.scope).with(named(declared(inner), place.scope));
  const own = new Own();
  const within: Place = {
    ...place,
    scope,
    own,
    where: [],
    existence: new Map(),
    guards: [],
    ...(quantifier && { bound: new Set<Variable>(), repeated: true }),
  };
  const text = pattern(within, inner);
  if (condition) own.add(condition, scope);
  const conditions = conditionsOf(within);
  // Neo4j 5.26 fails to plan a sub-query that collects in a path that repeats, and any in a CASE there.
  if (quantifier && (conditions.some(holdsCollection) || own.risky.some(holdsSubquery)))
    throw refuse('a sub-query or a value that must qualify, in a path that repeats', of, 'ask for it behind the path');
  if (!quantifier) place.guards.push(...within.where, ...within.existence.values(), ...within.guards);
  const where = whereOf(conditions);
  return cypher`(${text}${where})${quantifier ? quantifierText(quantifier) : nothing}`;
}
