import { getOrInsert } from '../base/getOrInsert.ts';
import type { FieldScalar as Scalar } from '../wire/fieldValues.ts';

export { type FieldScalar as Scalar, fieldScalars as scalars } from '../wire/fieldValues.ts';

/**
 * What the certainty of a statement is that several agents state: that of who spoke last, the highest, or 1 − ∏(1 −
 * cᵢ).
 */
export const certaintyPolicies = ['LATEST', 'MAX', 'NOISY_OR'] as const;

export type CertaintyPolicy = (typeof certaintyPolicies)[number];

/** A field that statements are made of, and not read from their other end. */
interface StatedField {
  name: string;
  /** IRI */
  predicate: string;
  /**
   * Of literals, whether the entity's projection holds every value (a list) or the best one; of a link, whether the file
   * says a list: one that isn't is functional.
   */
  list: boolean;
  /** At most one current statement for each subject and graph. */
  functional: boolean;
  certainty: CertaintyPolicy;
  /** The predicate, where the file says by `was` that the field is an older one renamed. */
  was?: string;
  description?: string;
  /** Other words for it, by which questions may name it. */
  aliases?: string[];
}

/** A predicate whose objects are literals. */
export interface LiteralField extends StatedField {
  kind: 'literal';
  scalar: Scalar;
  indexed: boolean;
}

/** A predicate whose objects are entities. */
export interface LinkField extends StatedField {
  kind: 'link';
  /** name of a class */
  target: string;
}

/** A link read from its object's end: no predicate of its own. */
export interface InverseField {
  kind: 'inverse';
  name: string;
  /** name of the link field of the target that points here */
  of: string;
  /** name of a class */
  target: string;
  description?: string;
}

export type Field = LiteralField | LinkField | InverseField;

export interface ClassDefinition {
  name: string;
  iri: string;
  fields: Field[];
  /** Names of the literal fields by which an entity of it is known, in the order of declaration. Never empty. */
  key?: string[];
  /** The IRI, where the file says by `was` that the class is an older one renamed. */
  was?: string;
  description?: string;
  /** Other words for it, by which questions may name it. */
  aliases?: string[];
}

/** The classes and predicates that an operator declares. Class names and IRIs are unique in it. */
export interface Vocabulary {
  /** IRI that the default IRIs of classes and predicates begin with */
  base: string;
  classes: ClassDefinition[];
}

/** A predicate of the vocabulary with the classes that its subjects and, if it is a link, its objects may have. */
export interface PredicateDefinition {
  iri: string;
  /** The same in every class, save for a link's target and the description. */
  field: LiteralField | LinkField;
  domains: ClassDefinition[];
  ranges: ClassDefinition[];
}

/** The predicates of a vocabulary by IRI, in the order of declaration. */
export function predicatesOf(vocabulary: Vocabulary): Map<string, PredicateDefinition> {
  const byName = new Map(vocabulary.classes.map((each) => [each.name, each]));
  const predicates = new Map<string, PredicateDefinition>();
  for (const domain of vocabulary.classes) {
    for (const field of domain.fields) {
      if (field.kind === 'inverse') continue;
      const iri = field.predicate;
      const predicate = getOrInsert(predicates, iri, () => ({ iri, field, domains: [], ranges: [] }));
      predicate.domains.push(domain);
      const range = field.kind === 'link' ? byName.get(field.target) : undefined;
      if (range && !predicate.ranges.includes(range)) predicate.ranges.push(range);
    }
  }
  return predicates;
}

/** The literal fields by the IRI of their predicate. */
export function literalFieldsOf(vocabulary: Vocabulary): Map<string, LiteralField> {
  return new Map(
    [...predicatesOf(vocabulary)].flatMap(([iri, { field }]) =>
      field.kind === 'literal' ? [[iri, field] as const] : [],
    ),
  );
}

/** The IRIs of the predicates whose values are text. */
export function textPredicates(vocabulary: Vocabulary): string[] {
  return [...literalFieldsOf(vocabulary)].flatMap(([iri, { scalar }]) => (scalar === 'String' ? [iri] : []));
}
