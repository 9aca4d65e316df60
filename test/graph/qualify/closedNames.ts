import { type Closed, withNames } from '../../../src/graph/names/closed.ts';
import { base, names } from './vocabulary.ts';

/** What is closed, by local names, in a graph that has met everything. */
export function closedOf({ classes = [], predicates = [] }: { classes?: string[]; predicates?: string[] }): Closed {
  const byRule = (local: string[]) => new Map(local.map((each) => [base + each, 'a-rule']));
  return withNames(
    { classes: byRule(classes), predicates: byRule(predicates) },
    { findLabel: names.label, findRelationshipType: names.relationshipType },
  );
}
