import { GraphQLError, type GraphQLErrorExtensions, type GraphQLFormattedError } from 'graphql';
import { Neo4jError } from 'neo4j-driver';
import { ConcordError, ErrorCode } from '../base/errors.ts';
import { nestedTooDeeply } from '../base/limitExceeded.ts';
import { databaseUnavailable } from '../calls/faults.ts';
import { isUnavailable } from '../graph/database/database.ts';
import { neo4jFault } from '../knowledge/query/operations.ts';

/** What Concord itself refuses, and what fails in Neo4j, carries its code and its reason, as over A2A. */
export function withReason(
  maxDepth: number,
): (formatted: GraphQLFormattedError, error: unknown) => GraphQLFormattedError {
  return (formatted, error) => {
    const refused = refusedBy(error, maxDepth);
    return refused
      ? { ...formatted, message: refused.message, extensions: extensionsOf(refused) }
      : formatted;
  };
}

/** What Concord refuses carries its code and its reason, as over A2A. */
export function extensionsOf({ code, data }: ConcordError): GraphQLErrorExtensions {
  return { code, ...data };
}

/** The error as a GraphQL answer carries it. */
export function graphqlError(error: ConcordError): GraphQLError {
  return new GraphQLError(error.message, { extensions: extensionsOf(error) });
}

/** What an error of GraphQL comes from, if that is Concord or Neo4j. */
export function refusedBy(error: unknown, maxDepth: number): ConcordError | undefined {
  let cause = error;
  while (cause instanceof GraphQLError && cause.originalError) cause = cause.originalError;
  if (cause instanceof ConcordError) return cause;
  if (cause instanceof RangeError) return nestedTooDeeply(maxDepth);
  if (!(cause instanceof Neo4jError)) return undefined;
  return isUnavailable(cause)
    ? databaseUnavailable(ErrorCode.KnowledgeQuery, 'try again later', cause)
    : neo4jFault(cause);
}
