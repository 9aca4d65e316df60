import { getNamedType, getNullableType, isListType } from 'graphql';
import { labelOf, propertyOf, relationshipTypeOf } from '../../graph/names/names.ts';
import { buildSchema } from '../../schema/schema.ts';
import type { ClassDefinition, Vocabulary } from '../../vocabulary/vocabulary.ts';

/** A class and the root field that queries find its entities by. */
export interface NamedClass extends ClassDefinition {
  plural: string;
}

/**
 * The classes of a vocabulary with their root fields, which the schema names.
 * @throws VocabularyError where it gives no schema
 */
export async function classesOf(vocabulary: Vocabulary): Promise<NamedClass[]> {
  // What it is all called in Neo4j doesn't matter here, as long as no two names are the same.
  const numbers = new Map<string, number>();
  const numbered = (iri: string) => numbers.get(iri) ?? numbers.set(iri, numbers.size).size - 1;
  const schema = await buildSchema(vocabulary, {
    relationshipType: (iri) => `${relationshipTypeOf(iri)}_${numbered(iri)}`,
    property: (iri) => `${propertyOf(relationshipTypeOf(iri))}_${numbered(iri)}`,
    label: (iri) => `${labelOf(iri)}_${numbered(iri)}`,
  });
  const plurals = new Map(
    Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap(({ name, type }) =>
      isListType(getNullableType(type)) ? [[getNamedType(type).name, name] as const] : [],
    ),
  );
  return vocabulary.classes.map((each) => ({ ...each, plural: plurals.get(each.name) ?? each.name }));
}
