import { whereOf } from './conjunction.ts';
import { anyNode, nodePattern } from './nodePatterns.ts';
import { declared, isRule, type Place } from './place.ts';
import { relationshipPattern } from './relationshipPatterns.ts';
import { type Rewrite, refuse, words } from './rewrite.ts';
import type { Scope } from './scope.ts';
import { after, isTree, type Tree, tree, trees, type Word } from './tree.ts';

/** Patterns that match only what qualifies, given that the conditions hold. */
export interface Patterns {
  text: string;
  /** Conditions that belong into the `WHERE` of the patterns. */
  where: string[];
  /** The edges that the patterns match, as expressions of lists. */
  edges: string[];
  /** With the variables that the patterns bind. */
  scope: Scope;
}

export function patterns(rewrite: Rewrite, all: Tree[], outside: Scope): Patterns {
  const variables = all.flatMap((each) => declared(each));
  const scope = outside.with(variables);
  const bound = new Set(variables.map(([name]) => name).filter((name) => outside.isSure(name)));
  const place: Place = { rewrite, scope, bound, where: [], inline: false, repeated: false, edges: [] };
  return {
    text: all.map((each) => pattern(place, each)).join(', '),
    where: place.where,
    edges: place.edges,
    scope,
  };
}

function pattern(place: Place, of: Tree): string {
  switch (of.rule) {
    case 'pattern': {
      const selector = tree(of, 'pathPatternPrefix');
      if (selector) checkSelector(selector, of);
      const inner = selector ? { ...place, inline: true } : place;
      return joined(of, (each) => {
        if (each.rule === 'variable') return each.source;
        return each === selector ? each.source : pattern(inner, each);
      });
    }
    case 'patternElement':
    case 'pathPatternNonEmpty':
      return elements(place, of);
    case 'patternComprehension':
      return trees(of, 'pathPatternNonEmpty')
        .map((each) => elements(place, each))
        .join('');
    case 'anonymousPattern':
    case 'shortestPathPattern':
      return joined(of, (each) => pattern(place, each));
    default:
      throw refuse(`the pattern ${words(of.rule)}`, of);
  }
}

function joined(of: Tree, make: (each: Tree) => string): string {
  return of.parts.map((part) => (isTree(part) ? make(part) : part.text)).join(' ');
}

function checkSelector(selector: Tree, of: Tree): void {
  const mode = tree(selector, 'pathMode');
  if (mode) throw refuse(`the path mode ${mode.source}`, mode);
  const count = tree(selector, 'nonNegativeIntegerSpecification');
  if (count && tree(count, 'parameter')) throw refuse('a parameter as the number of paths', count);
  if (contains(of, 'pathLength'))
    throw refuse(`${selector.source} with a variable length`, selector, 'use a quantifier: -[…]->+');
}

function contains(of: Tree, rule: string): boolean {
  return trees(of).some((each) => each.rule === rule || contains(each, rule));
}

/** Nodes, relationships and paths in parentheses, one after another. */
function elements(place: Place, of: Tree): string {
  const { parts } = of;
  const text: string[] = [];
  parts.forEach((part, index) => {
    if (!isTree(part) || part.rule === 'quantifier') {
      text.push(isTree(part) ? part.source : part.text);
    } else if (part.rule === 'nodePattern') {
      const behind = isStep(parts[index - 1]) ? parts[index - 1] : parts[index - 2];
      const joins = isOneOrMore(behind, parts) || isOneOrMore(parts[index + 1], parts);
      text.push(nodePattern(place, part, joins));
    } else if (part.rule === 'relationshipPattern') {
      text.push(relationshipPattern(place, part, isRule(parts[index + 1], 'quantifier')));
    } else {
      // A repeated path may be no path at all, and then its ends are any node.
      const repeated = tree(part, 'quantifier') !== undefined;
      if (repeated && !isRule(parts[index - 1], 'nodePattern')) text.push(anyNode(place));
      text.push(parenthesizedPath(place, part));
      if (repeated && parts[index + 1] === undefined) text.push(anyNode(place));
    }
  });
  return text.join(' ');
}

const isStep = (part: Tree | Word | undefined) => isRule(part, 'relationshipPattern');

/** Whether this is a relationship pattern that matches at least one relationship. */
function isOneOrMore(part: Tree | Word | undefined, parts: (Tree | Word)[]): boolean {
  if (part === undefined || !isTree(part) || part.rule !== 'relationshipPattern') return false;
  const next = parts[parts.indexOf(part) + 1];
  const quantifier = isRule(next, 'quantifier') ? (next as Tree) : undefined;
  const range = quantifier ?? tree(part, 'pathLength');
  if (range === undefined) return true;
  const text = range.source.replace(/[\s_]/g, '');
  // `*`, `*3`, `*1..3` and `+`, `{3}`, `{1,3}`: the number before anything else is the least.
  if (quantifier) return text === '+' || /^\{0*[1-9]/.test(text);
  return text === '*' || text.startsWith('*..') || /^\*0*[1-9]/.test(text);
}

function parenthesizedPath(place: Place, of: Tree): string {
  const inner = tree(of, 'pattern');
  if (inner === undefined) throw refuse('a path without a pattern', of);
  const quantifier = tree(of, 'quantifier');
  const scope = place.scope.with(declared(inner));
  const within: Place = {
    ...place,
    scope,
    where: [],
    ...(quantifier && { bound: new Set<string>(), repeated: true }),
  };
  const text = pattern(within, inner);
  const predicate = after(of, 'WHERE');
  return `(${text}${whereOf(place.rewrite, text, predicate, scope, within.where)})${quantifier?.source ?? ''}`;
}
