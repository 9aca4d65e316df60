import { GraphQLError, NoSchemaIntrospectionCustomRule, type ValidationRule } from 'graphql';
import { oneAggregate } from './oneAggregate.ts';

/** Why the schema is not shown. */
export const introspectionIsOff = 'The schema is not shown here: INTROSPECTION is off';

/** What queries are validated by, beyond the rules of the specification. */
export function ownRules(introspection: boolean): ValidationRule[] {
  return introspection ? [oneAggregate] : [oneAggregate, NoSchemaIntrospectionCustomRule];
}

/** The fault without what it tells of the schema: names that the query may have meant. */
export function withoutSuggestions(fault: GraphQLError): GraphQLError {
  const message = fault.message.replace(/ Did you mean .*\?$/s, '');
  return new GraphQLError(message, { nodes: fault.nodes, source: fault.source, positions: fault.positions });
}
