import { withNames } from '../../../../src/graph/names/closed.ts';
import type { Conditions } from '../../../../src/graph/qualify/qualifier.ts';
import { predicatesOf } from '../../../../src/vocabulary/vocabulary.ts';
import type { Random } from '../random.ts';
import { rumour, type Terms } from './vocabularies.ts';
import { graphs, start, tenants } from './world.ts';

export type ConditionKind =
  | 'requiredCertainty'
  | 'observedSince'
  | 'graphs'
  | 'asOf'
  | 'asOfRevision'
  | 'closedClasses'
  | 'closedPredicates';

/** Which kinds of conditions the worlds have, in turns: each alone, and with others. */
export const deals: ConditionKind[][] = [
  ['requiredCertainty'],
  ['graphs'],
  ['asOf'],
  ['closedPredicates'],
  ['asOfRevision'],
  ['observedSince'],
  ['closedClasses'],
  [],
  ['requiredCertainty', 'graphs'],
  ['requiredCertainty', 'asOf'],
  ['graphs', 'closedClasses'],
  ['observedSince', 'asOfRevision'],
  ['requiredCertainty', 'closedPredicates'],
  ['asOf', 'closedClasses', 'closedPredicates'],
  ['requiredCertainty', 'observedSince', 'graphs'],
  ['requiredCertainty', 'graphs', 'asOfRevision', 'closedPredicates'],
];

export const conditionKinds: readonly ConditionKind[] = [...new Set(deals.flat())];

const day = 86_400_000;

/** Conditions of these kinds. */
export function dealtConditions(random: Random, terms: Terms, kinds: readonly ConditionKind[]): Conditions {
  const has = (kind: ConditionKind) => kinds.includes(kind);
  const conditions = otherValues(random, { tenant: '' }, kinds);
  const classes = has('closedClasses') ? [random.pick(terms.vocabulary.classes).iri] : [];
  const all = [rumour, ...predicatesOf(terms.vocabulary).keys()];
  const predicates = has('closedPredicates') ? [...new Set([random.pick(all), random.pick(all)])] : [];
  if (classes.length + predicates.length === 0) return conditions;
  const byRule = (iris: string[]) => new Map(iris.map((iri) => [iri, 'a-rule']));
  const { label, relationshipType } = terms.names;
  const names = { findLabel: label, findRelationshipType: relationshipType };
  return {
    ...conditions,
    closed: withNames({ classes: byRule(classes), predicates: byRule(predicates) }, names),
  };
}

/**
 * Conditions of the same kinds, for another principal that asks for something else: the qualified text stays the same.
 */
export function otherValues(random: Random, { closed }: Conditions, kinds: readonly ConditionKind[]): Conditions {
  const values = {
    requiredCertainty: random.pick([0.25, 0.5, 0.75, 1]),
    // Seldom so that nothing qualifies.
    observedSince: new Date(start + random.below(70) * day),
    asOf: new Date(start + (25 + random.below(75)) * day),
    asOfRevision: 26 + random.below(75),
    graphs: {
      default: random.chance(0.5),
      named: random.some(graphs, 0.6).filter((graph) => graph !== undefined),
    },
  };
  const given = Object.entries(values).filter(([kind]) => kinds.includes(kind as ConditionKind));
  return { tenant: random.pick(tenants), ...(closed && { closed }), ...Object.fromEntries(given) };
}
