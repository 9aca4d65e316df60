import { extendSchema, type GraphQLFieldResolver, type GraphQLSchema, isObjectType, parse } from 'graphql';
import type { ReadTransaction } from '../graph/reading/readTransaction.ts';
import type { VersionsAsked } from '../graph/statements/statementVersion.ts';
import { sourcesOf } from './sources.ts';

const definitions = parse(`
  extend type Query {
    """
    Every version of the statements about a subject, those that hold and those that were replaced, revised or removed: newest first. With
    metadata.asOf, as it was known then.
    """
    history(
      """Id of an entity"""
      subject: ID!
      """IRI; any predicate, if left out"""
      predicate: ID
      first: Int! = 100
      offset: Int! = 0
    ): [StatementVersion!]!
  }

  """What was stated from one update until another: a statement with its certainty and provenance"""
  type StatementVersion {
    """The same for all versions of a statement"""
    id: ID!
    """Id of the entity that it is about"""
    subject: ID!
    """IRI"""
    predicate: String!
    object: StatementObject!
    """IRI; absent for the default graph"""
    graph: String
    """From 0 to 1; absent counts as 1"""
    certainty: Float
    provenance: JSON
    sourceAgentId: String
    taskId: String
    updateId: String
    observedAt: DateTime
    recordedAt: DateTime
    """The tenant's revision that made it"""
    revision: Int
    """Everyone who stated it; who spoke last comes last"""
    sources: [StatementSource!]!
    """Absent from a version that holds, as is all that says how it ended"""
    retractedAt: DateTime
    """The agent whose update ended it"""
    retractedBy: String
    """The tenant's revision that ended it"""
    retractedRevision: Int
    """The update that made it"""
    update: StatementUpdate
    """The update that ended it"""
    retraction: StatementUpdate
  }

  """An update, and what its agent said of it"""
  type StatementUpdate {
    id: ID!
    sourceAgentId: String
    justification: String
    taskId: String
    sessionId: String
    """W3C trace id"""
    traceId: String
    proposedAt: DateTime
    """Who approved it, where a rule had held it for review"""
    reviewedBy: String
    """The tenant's revision that it made"""
    revision: Int
  }
`);

const resolve: GraphQLFieldResolver<unknown, { executionContext: ReadTransaction }, VersionsAsked> = (
  _source,
  asked,
  { executionContext },
) => executionContext.versions(asked);

/**
 * The schema of the vocabulary with `history`, which reads more than the queries of agents may: what was said of
 * updates.
 */
export function withHistory(schema: GraphQLSchema): GraphQLSchema {
  const extended = extendSchema(schema, definitions);
  const field = extended.getQueryType()?.getFields().history;
  if (field) field.resolve = resolve;
  const version = extended.getType('StatementVersion');
  const sources = isObjectType(version) ? version.getFields().sources : undefined;
  if (sources) sources.resolve = sourcesOf;
  return extended;
}
