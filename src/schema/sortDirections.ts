import { extendSchema, type GraphQLSchema, isEnumType, parse } from 'graphql';

const definitions = parse(`
  extend enum SortDirection {
    """Ascending, and what has no value first; ASC has it last."""
    ASC_NULLS_FIRST
    """Descending, and what has no value first; DESC has it last."""
    DESC_NULLS_FIRST
  }
`);

/** What @neo4j/graphql writes for them: Cypher's long words, which `graph/qualify/paging` tells from the short ones. */
const words = { ASC_NULLS_FIRST: 'ASCENDING', DESC_NULLS_FIRST: 'DESCENDING' };

/** Lets a query say where rows without a value come; else they are last, in both directions. */
export function withNullsFirst(schema: GraphQLSchema): GraphQLSchema {
  const extended = extendSchema(schema, definitions);
  const type = extended.getType('SortDirection');
  if (!isEnumType(type)) throw new Error('The schema has no SortDirection');
  for (const [name, word] of Object.entries(words)) {
    const value = type.getValue(name);
    if (value) value.value = word;
  }
  return extended;
}
