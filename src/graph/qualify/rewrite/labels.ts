import { systemLabels } from '../../names/names.ts';
import { has, nameOf, type Tree, tree, trees } from '../grammar/tree.ts';
import { cypher, join, keywords, literal, nameOf as named, type Part, type Piece } from '../text/piece.ts';
import { namedBy, type Rewrite, refuse } from './rewrite.ts';

/** Concord's own labels: whatever has another is an entity. */
const system = new Set([...systemLabels].filter((label) => label !== 'Entity'));

/** What an expression's names are: labels of nodes or types of relationships; `unsure` where it can be either. */
type NameKind = 'labels' | 'types' | 'unsure';

const negation = cypher`!`;
const conjunction = cypher`&`;
const alternative = cypher`|`;

/** A label or type expression, written with `&`, `|` and `!` alone. */
export function labelText(rewrite: Rewrite, labels: Tree, named: NameKind): Piece {
  return combine(rewrite, labels, named, {
    name: (at) => cypher`${namedBy(at)}`,
    wildcard: cypher`%`,
    not: (inner) => cypher`${negation}${inner}`,
    and: (parts) => join(parts, conjunction),
    or: (parts) => join(parts, alternative),
  });
}

/**
 * A type expression as a condition on what gives the type: unknown where there is no relationship, and never a plain
 * `true` or `false`, which Neo4j's planner fails on in some places.
 */
export function typeCondition(rewrite: Rewrite, labels: Tree, type: Part): Piece {
  return combine(rewrite, labels, 'types', {
    // No statement's type is PAST: it has the type that it had.
    name: (at) => cypher`(${type} = ${literal(nameOf(at))})`,
    wildcard: cypher`(${type} <> ${literal('')})`,
    not: (inner) => cypher`(NOT ${inner})`,
    and: (parts) => join(parts, cypher` AND `),
    or: (parts) => join(parts, cypher` OR `),
  });
}

interface Combination {
  name(at: Tree): Piece;
  wildcard: Piece;
  not(inner: Piece): Piece;
  and(parts: Piece[]): Piece;
  or(parts: Piece[]): Piece;
}

function combine(rewrite: Rewrite, labels: Tree, named: NameKind, make: Combination): Piece {
  // Several in a row are wrapped where they stand within others.
  const wrapped = (each: Tree) => {
    const inner = combine(rewrite, each, named, make);
    return isCompound(each) ? cypher`(${inner})` : inner;
  };
  const [first, ...more] = trees(labels);
  switch (labels.rule) {
    case 'labelExpression':
    case 'labelExpression4':
    case 'labelExpression3': {
      if (first === undefined) throw refuse('an empty label expression', labels);
      if (more.length === 0) return combine(rewrite, first, named, make);
      const parts = [first, ...more].map(wrapped);
      return labels.rule === 'labelExpression4' ? make.or(parts) : make.and(parts);
    }
    case 'labelExpression2': {
      if (first === undefined) throw refuse('an empty label expression', labels);
      const negations = labels.parts.length - 1;
      if (negations === 0) return combine(rewrite, first, named, make);
      return Array.from({ length: negations }).reduce<Piece>((inner) => make.not(inner), wrapped(first));
    }
    case 'labelExpression1':
      if (has(labels, 'PERCENT')) return make.wildcard;
      if (tree(labels, 'dynamicAnyAllExpression')) throw refuse('a dynamic label or type', labels);
      if (first === undefined) throw refuse('an empty label expression', labels);
      return combine(rewrite, first, named, make);
    default: {
      const name = nameOf(labels);
      if (named !== 'types') rewrite.refuseClosed('labels', name);
      if (named !== 'labels') rewrite.refuseClosed('types', name);
      return make.name(labels);
    }
  }
}

/** Whether it is several labels in a row, once the parentheses around it are gone. */
function isCompound(labels: Tree): boolean {
  const inner = trees(labels);
  if (inner.length > 1) return true;
  const isNegated = labels.rule === 'labelExpression2' && labels.parts.length > 1;
  return !isNegated && inner[0] !== undefined && labels.rule.startsWith('label') && isCompound(inner[0]);
}

/** The types of an expression that is nothing but `A|B|C`. */
export function alternatives(labels: Tree): string[] | undefined {
  const names = leaves(labels, 'labelExpression3');
  return names?.includes('PAST') ? undefined : names;
}

/** `:A|B|C` */
export function typesText(rewrite: Rewrite, labels: Tree, more: readonly string[] = []): Piece {
  return join([labelText(rewrite, labels, 'types'), ...more.map(named)], alternative);
}

/** Whether what has these labels is an entity for sure. */
export function isEntity(labels: Tree | undefined): 'named' | 'implied' | 'unsure' {
  const names = (labels && leaves(labels, 'labelExpression4')) ?? [];
  if (names.includes('Entity')) return 'named';
  return names.some((name) => !system.has(name)) ? 'implied' : 'unsure';
}

/** Whether what has these labels is of a class for sure. */
export function namesClass(labels: Tree | undefined): boolean {
  const names = (labels && leaves(labels, 'labelExpression4')) ?? [];
  return names.some((name) => !systemLabels.has(name));
}

/** The names of an expression without negation, wildcard, parentheses or the connection of this rule. */
function leaves(labels: Tree, without: string): string[] | undefined {
  if (labels.rule === 'labelExpression2' && labels.parts.length > 1) return undefined;
  if (labels.rule === 'labelExpression1' && (has(labels, 'PERCENT') || has(labels, 'LPAREN'))) return undefined;
  const inner = trees(labels);
  if (labels.rule === without && inner.length > 1) return undefined;
  if (!labels.rule.startsWith('label')) return [nameOf(labels)];
  const names = inner.map((each) => leaves(each, without));
  return names.every((each) => each !== undefined) ? names.flat() : undefined;
}

/** The label of an entity or a literal, whatever else it has. */
export function withLabels(rewrite: Rewrite, labels: Tree | undefined, entity: 'named' | 'implied' | 'unsure'): Piece {
  const own = entity === 'implied' ? cypher`${named('Entity')}` : cypher`(${named('Entity')}|${named('Literal')})`;
  if (labels === undefined) return own;
  const given = labelText(rewrite, labels, 'labels');
  if (entity === 'named') return given;
  return isCompound(labels) ? cypher`(${given})&${own}` : cypher`${given}&${own}`;
}

/** The word by which a path chooses, a test counts and the like. */
export function keyword(word: string, at: Tree): Piece {
  const text = keywords.get(word);
  if (text === undefined) throw refuse(`the word ${word}`, at);
  return text;
}
