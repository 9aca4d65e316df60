import type { ConcordError } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import type { Dictionary } from './dictionary.ts';
import { propertyOf } from './names.ts';

/**
 * Classes and predicates that are closed to a principal, by IRI, each with the rule of the policy that closes it. Never
 * empty.
 */
export interface ClosedIris {
  classes: ReadonlyMap<string, string>;
  predicates: ReadonlyMap<string, string>;
}

/** What is closed to a principal, and what it is called in the graph. */
export interface Closed extends ClosedIris {
  /**
   * IRIs by label, relationship type and property of an entity. A class or predicate that nothing was said with yet has
   * none.
   */
  labels: ReadonlyMap<string, string>;
  types: ReadonlyMap<string, string>;
  properties: ReadonlyMap<string, string>;
}

/** The same text for what closes the same. */
export function closedText(closed: ClosedIris | undefined): string {
  return JSON.stringify(closed ? [closed.classes, closed.predicates].map((each) => [...each.keys()].sort()) : []);
}

/** @param dictionary what knows the names; a name that it doesn't know yet is missing */
export function withNames(
  closed: ClosedIris,
  dictionary: Pick<Dictionary, 'findLabel' | 'findRelationshipType'>,
): Closed {
  const labels = new Map<string, string>();
  const types = new Map<string, string>();
  const properties = new Map<string, string>();
  for (const iri of closed.classes.keys()) {
    const label = dictionary.findLabel(iri);
    if (label !== undefined) labels.set(label, iri);
  }
  for (const iri of closed.predicates.keys()) {
    const type = dictionary.findRelationshipType(iri);
    if (type === undefined) continue;
    types.set(type, iri);
    properties.set(propertyOf(type), iri);
  }
  return { ...closed, labels, types, properties };
}

/** What answers a caller that names what is closed to it. */
export function closedError(
  what: 'class' | 'predicate',
  iri: string,
  { classes, predicates }: ClosedIris,
): ConcordError {
  const rule = (what === 'class' ? classes : predicates).get(iri);
  const message = `The ${what} ${iri} is closed to the caller (policy rule ${rule})`;
  return refuse(`closed-${what}`, message, { [what]: iri, rule });
}
