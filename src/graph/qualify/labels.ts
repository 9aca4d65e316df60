import { systemLabels } from '../names.ts';
import { type Rewrite, refuse } from './rewrite.ts';
import { has, nameOf, type Tree, tree, trees } from './tree.ts';

/** Concord's own labels: whatever has another is an entity. */
const system = new Set([...systemLabels].filter((label) => label !== 'Entity'));

/** What an expression's names are: labels of nodes or types of relationships; `unsure` where it can be either. */
export type Named = 'labels' | 'types' | 'unsure';

/** A label or type expression, written with `&`, `|` and `!` alone. */
export function labelText(rewrite: Rewrite, labels: Tree, named: Named): string {
  return combine(rewrite, labels, named, {
    name: (source) => source,
    wildcard: '%',
    not: (inner) => `!${inner}`,
    and: (parts) => `(${parts.join('&')})`,
    or: (parts) => `(${parts.join('|')})`,
  });
}

/**
 * A type expression as a condition on a text that gives the type: unknown where there is no relationship, and never a plain `true` or `false`,
 * which Neo4j's planner fails on in some places.
 */
export function typeCondition(rewrite: Rewrite, labels: Tree, type: string): string {
  return combine(rewrite, labels, 'types', {
    // No statement's type is PAST: it has the type that it had.
    name: (_, name) => `${type} = ${stringText(name)}`,
    wildcard: `${type} <> ''`,
    not: (inner) => `NOT ${inner}`,
    and: (parts) => `(${parts.join(' AND ')})`,
    or: (parts) => `(${parts.join(' OR ')})`,
  });
}

interface Combination {
  name(source: string, name: string): string;
  wildcard: string;
  not(inner: string): string;
  and(parts: string[]): string;
  or(parts: string[]): string;
}

function combine(rewrite: Rewrite, labels: Tree, named: Named, make: Combination): string {
  const inner = trees(labels).map((each) => combine(rewrite, each, named, make));
  switch (labels.rule) {
    case 'labelExpression':
      return inner[0] ?? '';
    case 'labelExpression4':
      return inner.length > 1 ? make.or(inner) : (inner[0] ?? '');
    case 'labelExpression3':
      return inner.length > 1 ? make.and(inner) : (inner[0] ?? '');
    case 'labelExpression2': {
      const negations = labels.parts.length - 1;
      return Array.from({ length: negations }).reduce<string>((text) => make.not(text), inner[0] ?? '');
    }
    case 'labelExpression1':
      if (has(labels, 'PERCENT')) return make.wildcard;
      if (tree(labels, 'dynamicAnyAllExpression')) throw refuse('a dynamic label or type', labels);
      return has(labels, 'LPAREN') ? `(${inner[0]})` : (inner[0] ?? '');
    default: {
      const name = nameOf(labels);
      if (named !== 'types') rewrite.refuseClosed('labels', name);
      if (named !== 'labels') rewrite.refuseClosed('types', name);
      return make.name(labels.source, name);
    }
  }
}

/** The names of an expression that is nothing but `A|B|C`. */
export function alternatives(labels: Tree): string[] | undefined {
  const names = leaves(labels, 'labelExpression3');
  return names?.includes('PAST') ? undefined : names;
}

/** Whether what has these labels is an entity for sure. */
export function isEntity(labels: Tree | undefined): 'named' | 'implied' | 'unsure' {
  const names = (labels && leaves(labels, 'labelExpression4')) ?? [];
  if (names.includes('Entity')) return 'named';
  return names.some((name) => !system.has(name)) ? 'implied' : 'unsure';
}

/** The names of an expression without negation, wildcard, parentheses or the connection of this rule. */
function leaves(labels: Tree, without: string): string[] | undefined {
  if (labels.rule === 'labelExpression2' && labels.parts.length > 1) return undefined;
  if (labels.rule === 'labelExpression1' && (has(labels, 'PERCENT') || has(labels, 'LPAREN')))
    return undefined;
  const inner = trees(labels);
  if (labels.rule === without && inner.length > 1) return undefined;
  if (!labels.rule.startsWith('label')) return [nameOf(labels)];
  const names = inner.map((each) => leaves(each, without));
  return names.every((each) => each !== undefined) ? names.flat() : undefined;
}

export function stringText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** Without the parentheses that a list of alternatives or a conjunction has, if nothing else is in them. */
export function bare(labels: string): string {
  return /^\([^()]*\)$/.test(labels) ? labels.slice(1, -1) : labels;
}
