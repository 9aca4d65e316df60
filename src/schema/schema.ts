import { Neo4jGraphQL } from '@neo4j/graphql';
import { type GraphQLSchema, getNamedType, getNullableType, isListType, printSchema } from 'graphql';
import { VocabularyError } from '../vocabulary/faults.ts';
import type { Names } from '../vocabulary/names.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { answerAggregates, answerProperties } from './emptyObjects.ts';
import { withGroups } from './groups/groups.ts';
import { withLanguages } from './languages.ts';
import { withMatching } from './matching.ts';
import { withPages } from './pages.ts';
import { JsonScalar, ValueScalar } from './scalars.ts';
import { withNullsFirst } from './sortDirections.ts';
import { sourcesOf } from './sources.ts';
import { withStatements } from './statements.ts';
import { knownNames } from './statementsText.ts';
import { toNeo4jTypeDefs } from './typedefs.ts';
import { refuseUntranslatable } from './untranslatable.ts';

export { toNeo4jTypeDefs } from './typedefs.ts';

/**
 * Makes the executable, read-only schema of a vocabulary. Its resolvers want a Neo4j transaction in the context,
 * as `executionContext`, and APOC where a DateTime is selected.
 * @param defaultLimit rows of a query's own list or connection that has no limit; absent means all
 * @throws VocabularyError if two classes have the same plural, or @neo4j/graphql refuses the vocabulary
 */
export async function buildSchema(vocabulary: Vocabulary, names: Names, defaultLimit?: number): Promise<GraphQLSchema> {
  const schema = await schemaOf(toNeo4jTypeDefs(vocabulary, names));
  checkRootFields(vocabulary, schema);
  const whole = withStatements(schema, knownNames(vocabulary, names));
  const grouped = withGroups(refuseUntranslatable(answerProperties(answerAggregates(whole))));
  return withMatching(withPages(grouped, defaultLimit), vocabulary, names);
}

/**
 * The executable schema of type definitions as `toNeo4jTypeDefs` makes them.
 * @throws VocabularyError if @neo4j/graphql refuses them
 */
export async function schemaOf(typeDefs: string): Promise<GraphQLSchema> {
  const library = new Neo4jGraphQL({
    typeDefs,
    resolvers: { JSON: JsonScalar, Value: ValueScalar, Statement: { sources: sourcesOf } },
    features: {
      filters: { String: { CASE_INSENSITIVE: true } },
      excludeDeprecatedFields: {
        mutationOperations: true,
        aggregationFilters: true,
        aggregationFiltersOutsideConnection: true,
        relationshipFilters: true,
        attributeFilters: true,
      },
    },
  });
  const schema = await library.getSchema().catch((error: unknown) => {
    // The library rejects with a list when it finds several faults.
    const reasons = [error].flat().map((each) => (each instanceof Error ? each.message : String(each)));
    throw new VocabularyError(`The vocabulary gives no schema: ${reasons.join('; ')}`, { cause: error });
  });
  return withLanguages(withNullsFirst(schema), withNullsFirst(schema));
}

/** The library names a root field by the class's plural, which two classes may share. */
function checkRootFields(vocabulary: Vocabulary, schema: GraphQLSchema): void {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  const listed = fields.filter((each) => isListType(getNullableType(each.type)));
  const found = new Set(listed.map((each) => getNamedType(each.type).name));
  const missing = ['Entity', ...vocabulary.classes.map((each) => each.name)].filter((each) => !found.has(each));
  if (missing.length === 0) return;
  throw new VocabularyError(
    `Class "${missing.join('", "')}" has the same plural as another, and so the same root field: rename one.`,
  );
}

/** The schema as SDL: for one vocabulary always the same text. */
export function printedSchema(schema: GraphQLSchema): string {
  return `${printSchema(schema)}\n`;
}
