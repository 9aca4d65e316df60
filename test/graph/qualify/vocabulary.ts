import { labelOf, propertyOf, relationshipTypeOf } from '../../../src/graph/names/names.ts';
import { type ProjectedField, projectedFieldsOf } from '../../../src/graph/qualify/qualifier.ts';
import type { Names } from '../../../src/vocabulary/names.ts';
import { parseVocabulary } from '../../../src/vocabulary/parse.ts';
import { literalFieldsOf, type Vocabulary } from '../../../src/vocabulary/vocabulary.ts';

export const base = 'https://example.org/leaks#';

/** Every scalar, lists, links, an inverse, and a field that is called as a literal's own property. */
export const leakVocabulary = parseVocabulary(
  `extend schema @vocabulary(base: "${base}")
  type Person @class {
    name: String @predicate(indexed: true)
    nick: [String!]!
    age: Int
    height: Float
    member: Boolean
    born: Date
    seen: DateTime
    value: String
    scores: [Int!]!
    friends: [Person!]! @predicate(iri: "${base}friend")
    worksAt: [Place!]!
    boss: Person
  }
  type Place @class {
    name: String @predicate(indexed: true)
    within: [Place!]!
    staff: [Person!]! @inverse(of: "worksAt")
  }`,
  'leaks.graphql',
);

/** The names that a new graph gives. */
export const names: Names = {
  relationshipType: relationshipTypeOf,
  property: (predicate) => propertyOf(relationshipTypeOf(predicate)),
  label: labelOf,
};

/** A vocabulary's literal fields as the qualifier takes them. */
export function projectedFields(vocabulary: Vocabulary, given = names): Map<string, ProjectedField> {
  return projectedFieldsOf(literalFieldsOf(vocabulary), given);
}
