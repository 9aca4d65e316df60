import { HeaderMap } from '@apollo/server';
import { GraphQLError, type GraphQLErrorExtensions, type GraphQLFormattedError } from 'graphql';
import type { ConcordError } from '../base/errors.ts';
import { asConcordError } from '../calls/faults.ts';
import { soon } from '../calls/statuses.ts';
import { causeOf, queryFault } from '../knowledge/query/operations.ts';

/** What Concord itself refuses, and what fails in Neo4j, carries its code and its reason, as over A2A. */
export function withReason(
  maxDepth: number,
): (formatted: GraphQLFormattedError, error: unknown) => GraphQLFormattedError {
  return (formatted, error) => {
    const refused = refusedBy(error, maxDepth);
    return refused ? { ...formatted, message: refused.message, extensions: extensionsOf(refused) } : formatted;
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

/** What an error of GraphQL is answered with as over A2A, if it comes from Concord or Neo4j. */
export function refusedBy(error: unknown, maxDepth: number): ConcordError | undefined {
  const cause = causeOf(error, maxDepth);
  return cause && asConcordError(queryFault(cause));
}

/** How an error goes out over HTTP: its status and, where the same may do better later, when to send it again. */
export function httpOf(status: number, mayDoBetter: boolean | undefined) {
  return { status, ...(mayDoBetter && { headers: new HeaderMap([['retry-after', soon]]) }) };
}
