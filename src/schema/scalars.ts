import { GraphQLError, GraphQLScalarType } from 'graphql';
import { isInt } from 'neo4j-driver';

/** Provenance: kept as JSON text in Neo4j, answered as the JSON value itself. */
export const JsonScalar = new GraphQLScalarType({
  name: 'JSON',
  serialize(stored: unknown): unknown {
    if (typeof stored !== 'string') return stored;
    try {
      return JSON.parse(stored);
    } catch {
      // Somebody wrote plain text in Neo4j Browser: better shown than lost.
      return stored;
    }
  },
  ...outputOnly('JSON'),
});

/** The value of a literal: a string, a number or a boolean. */
export const ValueScalar = new GraphQLScalarType({
  name: 'Value',
  serialize(stored: unknown): string | number | boolean {
    if (typeof stored === 'string' || typeof stored === 'number' || typeof stored === 'boolean') return stored;
    if (typeof stored === 'bigint') return Number(stored);
    // Integers beyond 2^53 are refused on writing, so nothing is rounded here.
    return isInt(stored) ? stored.toNumber() : String(stored);
  },
  ...outputOnly('Value'),
});

function outputOnly(name: string) {
  const refuse = () => {
    throw new GraphQLError(`${name} is for answers only`);
  };
  return { parseValue: refuse, parseLiteral: refuse };
}
