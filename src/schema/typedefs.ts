import { quoted } from '../graph/names/names.ts';
import type { Names } from '../vocabulary/names.ts';
import type { ClassDefinition, Field, Vocabulary } from '../vocabulary/vocabulary.ts';
import { twinOf } from './languages.ts';
import { ofItsTime, statementMap, statementOrder } from './statementMap.ts';

/**
 * The SDL from which @neo4j/graphql makes the schema that agents query: read-only, every class with its statements,
 * and `Entity`, which is every entity whatever its class.
 */
export function toNeo4jTypeDefs(vocabulary: Vocabulary, names: Names): string {
  return [common, ...vocabulary.classes.map((each) => classType(each, vocabulary, names))].join('\n');
}

/** A GraphQL string. JSON's escapes are a subset of GraphQL's. */
const quote = (text: string) => JSON.stringify(text);

/** The description with the IRI, which an agent needs to propose statements. */
function describe(iri: string, description?: string): string {
  return quote(description ? `${description}\n\n${iri}` : iri);
}

function classType(definition: ClassDefinition, vocabulary: Vocabulary, names: Names): string {
  const labels = [names.label(definition.iri), 'Entity'].map(quote).join(', ');
  const taken = new Set(definition.fields.map(({ name }) => name));
  const fields = definition.fields.map((each) => fieldOf(each, vocabulary, names));
  const counts = definition.fields.flatMap((each) => countOf(each, taken, vocabulary, names));
  const key = definition.key ? `, known by its key (${definition.key.join(', ')})` : '';
  return `
${describe(`Class <${definition.iri}>${key}`, definition.description)}
type ${definition.name} @node(labels: [${labels}]) {
${given}
  ${[...fields, ...counts].join('\n  ')}
}`;
}

function fieldOf(field: Field, vocabulary: Vocabulary, names: Names): string {
  if (field.kind === 'literal') {
    const property = names.property(field.predicate);
    const alias = property === field.name ? '' : ` @alias(property: ${quote(property)})`;
    const type = field.list ? `[${field.scalar}!]` : field.scalar;
    const comment = describe(`Predicate <${field.predicate}>`, field.description);
    const twin = field.scalar === 'String' ? `\n  ${twinOf(field, names.relationshipType(field.predicate))}` : '';
    return `${comment} ${field.name}: ${type}${alias}${twin}`;
  }
  const { predicate, direction } = linkOf(field, vocabulary);
  const origin = field.kind === 'link' ? 'Predicate' : 'Inverse of predicate';
  const comment = describe(`${origin} <${predicate}>`, field.description);
  const type = quote(names.relationshipType(predicate));
  // One link may be missing, whatever the file says: knowledge is open-world.
  const target = field.kind === 'link' && !field.list ? field.target : `[${field.target}!]!`;
  return `${comment} ${field.name}: ${target} @relationship(type: ${type}, direction: ${direction}, properties: "StatementProperties")`;
}

type LinkField = Exclude<Field, { kind: 'literal' }>;

function linkOf(field: LinkField, vocabulary: Vocabulary): { predicate: string; direction: 'IN' | 'OUT' } {
  if (field.kind === 'link') return { predicate: field.predicate, direction: 'OUT' };
  return { predicate: predicateOfInverse(field.target, field.of, vocabulary), direction: 'IN' };
}

/** How many entities a list of links has, to sort and to choose by; nothing where the class has a field of that name. */
function countOf(field: Field, taken: ReadonlySet<string>, vocabulary: Vocabulary, names: Names): string[] {
  const name = `${field.name}Count`;
  if (field.kind === 'literal' || (field.kind === 'link' && !field.list) || taken.has(name)) return [];
  const { predicate, direction } = linkOf(field, vocabulary);
  const type = quoted(names.relationshipType(predicate));
  const target = quoted(names.label(classIriOf(field.target, vocabulary)));
  const [from, to] = direction === 'OUT' ? ['-', '->'] : ['<-', '-'];
  const statement = `MATCH (this)${from}[:${type}]${to}(o:${target}&Entity) RETURN count(DISTINCT o) AS count`;
  return [
    `"How many ${field.name} there are" ${name}: Int! ${plain} @cypher(columnName: "count", statement: ${quote(statement)})`,
  ];
}

function classIriOf(target: string, vocabulary: Vocabulary): string {
  const found = vocabulary.classes.find(({ name }) => name === target);
  if (found === undefined) throw new Error(`The vocabulary has no class "${target}"`);
  return found.iri;
}

function predicateOfInverse(target: string, of: string, vocabulary: Vocabulary): string {
  const fields = vocabulary.classes.find((each) => each.name === target)?.fields ?? [];
  for (const field of fields) if (field.name === of && field.kind === 'link') return field.predicate;
  throw new Error(`The vocabulary has no link "${target}.${of}"`);
}

/** Statements from or to `this`. An absent certainty counts as 1; `PAST` holds what is no longer stated. */
function statements(pattern: string, subject: string, object: string): string {
  return `(
    predicate: [String!]
    graph: String
    "Those recorded by then and not yet retracted; over metadata.asOf" asOf: DateTime
    first: Int! = 100
    offset: Int! = 0
  ): [Statement!]! @cypher(columnName: "statement", statement: """
    MATCH ${pattern}
    WHERE s.statementId IS NOT NULL AND ($asOf IS NOT NULL OR type(s) <> 'PAST')
      AND ($predicate IS NULL OR s.predicate IN $predicate)
      AND ($graph IS NULL OR s.graph = $graph)
    WITH s, ${subject} AS subject, ${object} AS object
    ORDER BY ${statementOrder}
    SKIP toInteger($offset) LIMIT toInteger($first)
    RETURN ${statementMap} AS statement
  """)`;
}

/** Nothing is learnt from the longest class IRI or the least revision, and each such field adds types to the schema. */
const plain = '@selectable(onRead: true, onAggregate: false) @filterable(byValue: true, byAggregate: false)';

const given = `  id: ID!
  "IRI of its class" type: String ${plain}
  "Every current statement about it, also of predicates (IRIs) outside the vocabulary; by predicate, most certain first"
  statements${statements(`(this)-[s ${ofItsTime}]->(o)`, 'this', 'o')}`;

const common = `
extend schema @mutation(operations: []) @subscription(events: [])

"A JSON value"
scalar JSON
"A string, a number or a boolean"
scalar Value

"Any entity, whatever its class"
type Entity @node(labels: ["Entity"]) @plural(value: "entities") {
${given}
  "Every current statement whose object it is"
  incomingStatements${statements(`(this)<-[s ${ofItsTime}]-(o)`, 'o', 'this')}
}

"Who states a link between two entities, how certain it is, and why"
type StatementProperties @relationshipProperties {
  statementId: ID!
  "IRI" predicate: String! ${plain}
  "IRI; absent for the default graph" graph: String ${plain}
  "From 0 to 1; absent counts as 1" certainty: Float
  provenance: JSON @filterable(byValue: false, byAggregate: false) @sortable(byValue: false)
  sourceAgentId: String ${plain}
  taskId: String ${plain}
  updateId: String ${plain}
  observedAt: DateTime
  recordedAt: DateTime
  "The tenant's revision that made it" revision: Int ${plain}
}

"What an agent says: subject, predicate, object; with who says it, how certain it is, and why"
type Statement {
  id: ID!
  "Id of the entity that it is about" subject: ID!
  "IRI" predicate: String!
  object: StatementObject!
  "IRI; absent for the default graph" graph: String
  "From 0 to 1; absent counts as 1" certainty: Float
  provenance: JSON
  sourceAgentId: String
  taskId: String
  updateId: String
  observedAt: DateTime
  recordedAt: DateTime
  "The tenant's revision that made it" revision: Int
  "Everyone who states it; who spoke last comes last" sources: [StatementSource!]!
}

"What one agent says of a statement. The statement's own certainty follows the predicate's policy; the rest of it is of the last to speak"
type StatementSource {
  sourceAgentId: String
  "From 0 to 1; absent counts as 1" certainty: Float
  provenance: JSON
  observedAt: DateTime
}

"An entity (id) or a literal (value)"
type StatementObject {
  id: ID
  value: Value
  "IRI of the entity's class or the literal's datatype" type: String
  language: String
}
`;
