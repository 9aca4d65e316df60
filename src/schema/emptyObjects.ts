import { defaultFieldResolver, type GraphQLObjectType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';

/**
 * Lets aggregates be asked for as GraphQL allows: @neo4j/graphql answers nothing for an object of an aggregate of which
 * only type names are selected, and for an `aggregate` by another name; and it has the sum of whole numbers as an Int,
 * which fails beyond 2^31.
 */
export function answerAggregates(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    const aggregate = isObjectType(type) ? aggregateOf(type) : undefined;
    if (aggregate === undefined) continue;
    aggregate.resolve = (connection: Record<string, unknown>, _args, _context, { path }) =>
      connection[path.key] ?? connection.aggregate ?? {};
    const inner = getNamedType(aggregate.type);
    if (isObjectType(inner)) answerObjects(inner);
  }
  const ofWhole = schema.getType('IntAggregateSelection');
  const { sum, average } = isObjectType(ofWhole) ? ofWhole.getFields() : {};
  if (sum && average) sum.type = average.type;
  return schema;
}

/**
 * Lets a link's own `properties` be asked for as GraphQL allows: @neo4j/graphql answers nothing where only their type
 * name is selected.
 */
export function answerProperties(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    const properties = isObjectType(type) ? type.getFields().properties : undefined;
    if (properties === undefined || getNamedType(properties.type).name !== 'StatementProperties') continue;
    const { resolve = defaultFieldResolver } = properties;
    properties.resolve = (...given) => resolve(...given) ?? {};
  }
  return schema;
}

/** The field of a connection that aggregates; undefined where there is none. A class has no `pageInfo` of this type. */
function aggregateOf(type: GraphQLObjectType) {
  const { aggregate, pageInfo } = type.getFields();
  return pageInfo && getNamedType(pageInfo.type).name === 'PageInfo' ? aggregate : undefined;
}

function answerObjects(type: GraphQLObjectType): void {
  for (const field of Object.values(type.getFields())) {
    const inner = getNamedType(field.type);
    const { resolve } = field;
    if (!isObjectType(inner) || resolve === undefined) continue;
    field.resolve = (...given) => resolve(...given) ?? {};
    answerObjects(inner);
  }
}
