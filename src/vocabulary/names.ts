/**
 * What classes and predicates are called in Neo4j. The names are recorded in the database, so they outlive a restart.
 */
export interface Names {
  /** relationship type of a predicate IRI */
  relationshipType(predicate: string): string;
  /** property of an entity that projects this predicate */
  property(predicate: string): string;
  /** label of a class IRI */
  label(classIri: string): string;
}
