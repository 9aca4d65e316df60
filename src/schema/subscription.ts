import { extendSchema, type GraphQLSchema, parse } from 'graphql';

const definitions = parse(`
  """
  Subscriptions to changes of the graph. Over graphql-ws each event is the fields that are selected, over knowledge/subscribe a whole
  KnowledgeGraphChangeEvent.
  """
  type Subscription {
    """Every change of a statement that meets all the conditions, in the order in which they were committed."""
    statementChanged(
      where: StatementChangedWhere
      """Resume after this sequence, a whole number; absent: after the last change that there is."""
      afterSequence: Float
    ): StatementChange!
  }

  extend schema {
    subscription: Subscription
  }

  enum PatchOperationType {
    add
    remove
    replace
  }

  input PatchOperationCondition {
    eq: PatchOperationType
    in: [PatchOperationType!]
  }

  """A value that must be equal, or a list that must hold it."""
  input ChangeCondition {
    eq: String
    in: [String!]
  }

  input StatementChangedWhere {
    op: PatchOperationCondition
    subject: ChangeCondition
    predicate: ChangeCondition
    """The id of an entity, or the value of a literal as text."""
    object: ChangeCondition
    """The IRI of a named graph; eq: null is the default graph."""
    graph: ChangeCondition
    sourceAgentId: ChangeCondition
  }

  type ChangedStatement {
    subject: StatementObject!
    predicate: String!
    object: StatementObject!
    graph: String
    certainty: Float
    provenance: JSON
  }

  type StatementChange {
    """What to resume after: the position in the change log, a whole number that may exceed an Int."""
    sequence: Float!
    op: PatchOperationType!
    statement: ChangedStatement!
    changeId: ID!
    timestamp: DateTime!
    changeMetadata: JSON
  }
`);

/** The schema of the vocabulary with the subscriptions that the change feed serves. */
export function withSubscriptions(schema: GraphQLSchema): GraphQLSchema {
  return extendSchema(schema, definitions);
}
