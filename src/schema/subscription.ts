import { extendSchema, type GraphQLSchema, parse } from 'graphql';

/** What is told of every change, whatever it is asked for by. */
export const changeFields = `
  """What to resume after: the position in the change log, a whole number that may exceed an Int."""
  sequence: Float!
  op: PatchOperationType!
  statement: ChangedStatement!
  """The statements whose place it took."""
  previous: [ChangedStatement!]!
  changeId: ID!
  timestamp: DateTime!
  """The update that made it, and who proposed that, for what task and why."""
  updateId: ID!
  revision: Int!
  sourceAgentId: String!
  taskId: String
  justification: String
  changeMetadata: JSON`;

/** Of the subscriptions, the one that begins with the statements that there are. It is served at /graphql. */
export const snapshotField = 'statementsThenChanges';

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
    """
    First the statements that there are and meet all the conditions, as they were at one revision, then what says that
    these were all, then every change behind it. Served at /graphql.
    """
    ${snapshotField}(
      where: StatementChangedWhere
      """Go on behind the event that had this cursor, in the middle of the statements or among the changes."""
      after: String
    ): StatementOrChange!
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

  """A number or a text."""
  scalar Bound

  input ChangedEntityCondition {
    eq: String
    in: [String!]
    """The IRI of its class."""
    type: ChangeCondition
  }

  """
  eq and in: the id of an entity, or the value of a literal as text; type: of an entity; the others: of a literal.
  Numbers are compared with numbers, times with times, other text by its characters.
  """
  input ChangedObjectCondition {
    eq: String
    in: [String!]
    type: ChangeCondition
    lt: Bound
    lte: Bound
    gt: Bound
    gte: Bound
    startsWith: String
    contains: String
    endsWith: String
  }

  input ChangedCertaintyCondition {
    lt: Float
    lte: Float
    gt: Float
    gte: Float
  }

  """All that is given must hold."""
  input StatementChangedWhere {
    and: [StatementChangedWhere!]
    """One of them at least."""
    or: [StatementChangedWhere!]
    not: StatementChangedWhere
    op: PatchOperationCondition
    subject: ChangedEntityCondition
    predicate: ChangeCondition
    object: ChangedObjectCondition
    """The IRI of a named graph; eq: null is the default graph."""
    graph: ChangeCondition
    sourceAgentId: ChangeCondition
    """eq: null is a change of no task."""
    taskId: ChangeCondition
    updateId: ChangeCondition
    """From 0 to 1; a statement without one is certain."""
    certainty: ChangedCertaintyCondition
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
    ${changeFields}
  }

  """One of the three."""
  type StatementOrChange {
    """What to go on behind."""
    cursor: String!
    """A statement that was there, as a change that adds it; its sequence is the one of complete."""
    statement: StatementChange
    """Those were all."""
    complete: SnapshotComplete
    change: StatementChange
  }

  """The last change and the revision that the statements before it have."""
  type SnapshotComplete {
    sequence: Float!
    revision: Int!
  }
`);

/** The schema of the vocabulary with the subscriptions that the change feed serves. */
export function withSubscriptions(schema: GraphQLSchema): GraphQLSchema {
  return extendSchema(schema, definitions);
}
