import { extendSchema, type GraphQLFieldResolver, type GraphQLSchema, parse } from 'graphql';
import type { Queryable } from '../graph/database/queryable.ts';
import { isoOf } from '../graph/statements/values.ts';
import { VocabularyError } from '../vocabulary/faults.ts';
import { type KnownNames, type StatementsAsked, statementsText } from './statementsText.ts';

const sortable = 'id subject class predicate object graph certainty sourceAgentId observedAt recordedAt revision';

const definitions = `
  extend type Query {
    """
    Current statements about whatever entity, also of predicates outside the vocabulary; by predicate, most certain
    first, where no order is asked for
    """
    statements(
      where: StatementWhere
      sort: [StatementSort!]
      """Those recorded by then and not yet retracted; over metadata.asOf"""
      asOf: DateTime
      limit: Int
      offset: Int
    ): [Statement!]!
  }

  input StatementWhere {
    OR: [StatementWhere!]
    AND: [StatementWhere!]
    NOT: StatementWhere
    id: IDScalarFilters
    """Id of the entity that it is about"""
    subject: IDScalarFilters
    """IRI of the class of the entity that it is about"""
    class: StringScalarFilters
    """IRI"""
    predicate: StringScalarFilters
    """Id of the entity that is its object; a literal has none"""
    object: IDScalarFilters
    """IRI; absent for the default graph"""
    graph: StringScalarFilters
    """From 0 to 1; absent counts as 1"""
    certainty: FloatScalarFilters
    """Who spoke last"""
    sourceAgentId: StringScalarFilters
    taskId: StringScalarFilters
    updateId: StringScalarFilters
    observedAt: DateTimeScalarFilters
    recordedAt: DateTimeScalarFilters
    """The tenant's revision that made it"""
    revision: IntScalarFilters
  }

  """By one field each; the statement's id tells apart what is sorted alike"""
  input StatementSort {
    ${sortable
      .split(' ')
      .map((name) => `${name}: SortDirection`)
      .join('\n    ')}
  }`;

/** Types of @neo4j/graphql's that a schema lacks whose vocabulary has nothing to compare so. */
const filters = Object.entries({
  FloatScalarFilters: 'Float',
  IntScalarFilters: 'Int',
  DateTimeScalarFilters: 'DateTime',
  StringScalarFilters: 'String',
  IDScalarFilters: 'ID',
}).map(([name, scalar]) => {
  const more = scalar === 'String' || scalar === 'ID' ? 'contains startsWith endsWith' : 'lt lte gt gte';
  const compared = more.split(' ').map((each) => `${each}: ${scalar}`);
  return { name, text: `input ${name} { eq: ${scalar} in: [${scalar}!] ${compared.join(' ')} }` };
});

/**
 * The schema with `statements` at its root. It reads like everything else in the schema: its Cypher goes through the
 * qualifier.
 * @throws VocabularyError where a class has the plural `statements`
 */
export function withStatements(schema: GraphQLSchema, names: KnownNames): GraphQLSchema {
  if (schema.getQueryType()?.getFields().statements) {
    throw new VocabularyError(
      'A class has the plural "statements", which is a root field of its own: rename the class.',
    );
  }
  const missing = filters.filter(({ name }) => schema.getType(name) === undefined);
  const extended = extendSchema(schema, parse([definitions, ...missing.map(({ text }) => text)].join('\n')));
  const field = extended.getQueryType()?.getFields().statements;
  const resolve: GraphQLFieldResolver<unknown, { executionContext: Queryable }, StatementsAsked> = async (
    _source,
    asked,
    { executionContext },
  ) => {
    const { text, parameters } = statementsText(asked, names);
    const { records } = await executionContext.run<{ statement: Told }>(text, parameters);
    return records.map((record) => withTimes(record.get('statement')));
  };
  if (field) field.resolve = resolve;
  return extended;
}

type Told = Record<string, unknown>;

/** With times as the schema takes them, ISO 8601. */
function withTimes(statement: Told): Told {
  const { observedAt, recordedAt } = statement;
  return { ...statement, observedAt: isoOf(observedAt), recordedAt: isoOf(recordedAt) };
}
