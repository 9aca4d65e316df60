import type { Names } from '../../../vocabulary/names.ts';
import type { LiteralField, Scalar } from '../../../vocabulary/vocabulary.ts';
import { isCertaintyOnly, isOfTenant, projectedQualifies, realType, type Shape, typedEdge } from './conditions.ts';
import {
  all,
  among,
  collect,
  count,
  cypher,
  literal,
  nameOf,
  operation,
  type Part,
  type Piece,
  property,
  Variable,
} from './piece.ts';

/** A literal field as the graph has it. */
export interface ProjectedField extends Pick<LiteralField, 'scalar' | 'list' | 'indexed'> {
  relationshipType: string;
}

/** The literal fields of a vocabulary, given by predicate, by the property of an entity that projects them. */
export function projectedFieldsOf(
  fields: ReadonlyMap<string, LiteralField>,
  names: Names,
): Map<string, ProjectedField> {
  return new Map(
    [...fields].map(([iri, { scalar, list, indexed }]) => [
      names.property(iri),
      { relationshipType: names.relationshipType(iri), scalar, list, indexed },
    ]),
  );
}

/**
 * The property of an entity as the statements that qualify have it: the value of the best, or all of them in a list
 * field. The same choice and order as `projectionOf`.
 */
export function qualifiedValue(entity: Variable, name: string, field: ProjectedField, shape: Shape): Piece {
  if (isProjectedBest(field, shape))
    return operation`CASE WHEN ${projectedQualifies(entity, name)} THEN ${property(entity, name)} END`;
  const { match, edge, object } = statements(entity, field, shape);
  const value = converted[field.scalar](property(object, 'value'));
  const best = cypher`${match} RETURN ${value} AS ${new Variable()} ORDER BY ${rankOf(edge)}`;
  if (!field.list) return cypher`head(${collect} { ${best} LIMIT 1 })`;
  return distinct(cypher`${collect} { ${best} }`);
}

/** Each value once; null where there is none. */
function distinct(list: Piece): Piece {
  // No aggregating function: Neo4j would take the whole expression for an aggregation.
  const [values, seen, each] = [new Variable(), new Variable(), new Variable()];
  const once = cypher`reduce(${seen} = [], ${each} IN ${values} | CASE WHEN ${each} IN ${seen} THEN ${seen} ELSE (${seen} + ${each}) END)`;
  return cypher`head([${values} IN [${list}] WHERE size(${values}) > 0 | ${once}])`;
}

/** Several values of one entity, fetched at once. */
export interface Fetch {
  entity: Variable;
  /** Pairs of the type of a statement and its value, best first. */
  rows: Variable;
  types: readonly string[];
}

/** What makes the rows. */
export function fetch({ entity, types }: Fetch, shape: Shape): Piece {
  const [edge, object] = [new Variable(), new Variable()];
  const { pattern, where } = typedEdge(edge, types, shape);
  const type = shape.asOf ? realType(edge) : cypher`type(${edge})`;
  return cypher`${collect} { MATCH (${entity})-${pattern}->(${object}:${nameOf('Literal')}) WHERE ${all([...where, isOfTenant(object)])} RETURN [${type}, ${property(object, 'value')}] AS ${new Variable()} ORDER BY ${rankOf(edge)} }`;
}

/** A property's value among them: the same as `qualifiedValue`. */
export function fetchedValue(rows: Variable, { relationshipType, scalar, list }: ProjectedField): Piece {
  const row = new Variable();
  const value = cypher`${row}[1]`;
  const conditions = all([cypher`${row}[0] = ${literal(relationshipType)}`, ...fits[scalar](value)]);
  const values = cypher`${among}${row} IN ${rows} WHERE ${conditions} | ${converted[scalar](value)}]`;
  return list ? distinct(values) : cypher`head(${values})`;
}

/**
 * Whether the projected property is the right value as soon as any statement qualifies: the best one has the highest
 * certainty.
 */
export function isProjectedBest(field: ProjectedField, shape: Shape): boolean {
  return isCertaintyOnly(shape) && !field.list;
}

/**
 * Whether a condition may ask the property itself, so that its index serves, and then whether its statement qualifies.
 */
export function isPlainlyBest(name: string, field: ProjectedField, shape: Shape): boolean {
  return isProjectedBest(field, shape) && !ofLiterals.has(name);
}

/** The properties that literals have themselves. */
export const ofLiterals = new Set(['value', 'datatype', 'language']);

/** The edges that the property rests on, as a list. */
export function edgesBehind(entity: Variable, field: ProjectedField, shape: Shape): Piece {
  const { match, edge } = statements(entity, field, shape);
  const limit = field.list ? cypher`` : cypher` LIMIT 1`;
  return cypher`${collect} { ${match} RETURN ${edge} AS ${new Variable()} ORDER BY ${rankOf(edge)}${limit} }`;
}

const rankOf = (edge: Variable) =>
  cypher`coalesce(${property(edge, 'certainty')}, 1.0) DESC, ${property(edge, 'observedAt')} DESC, ${property(edge, 'statementId')}`;

/** The statements of an entity that can be shown in a field. */
function statements(
  entity: Variable,
  field: ProjectedField,
  shape: Shape,
): { match: Piece; edge: Variable; object: Variable } {
  const [edge, object] = [new Variable(), new Variable()];
  const { pattern, where } = typedEdge(edge, [field.relationshipType], shape);
  const conditions = all([...where, isOfTenant(object), ...fits[field.scalar](property(object, 'value'))]);
  return {
    match: cypher`MATCH (${entity})-${pattern}->(${object}:${nameOf('Literal')}) WHERE ${conditions}`,
    edge,
    object,
  };
}

/** What a value must meet to be shown in a field: what `projectionOf` asks of it. */
const fits: Record<Scalar, (value: Piece) => Piece[]> = {
  String: (value) => [isString(value)],
  ID: (value) => [isString(value)],
  Boolean: (value) => [cypher`${value} IS :: BOOLEAN NOT NULL`],
  Int: (value) => [isInt(value)],
  Float: (value) => [isNumber(value)],
  // Of what is no text this is null.
  DateTime: (value) => [cypher`${value} =~ ${dateTime}`],
  Date: (value) => [cypher`${value} =~ ${date}`],
};

/** A whole number of 32 bits: nothing but a number is equal to what is made of it, which fails of nothing. */
export const isInt = (value: Part) =>
  cypher`toIntegerOrNull(${value}) = ${value} AND -2147483648 <= ${value} AND ${value} <= 2147483647`;

const isString = (value: Piece) => cypher`${value} IS :: STRING NOT NULL`;

const isNumber = (value: Piece) => cypher`${value} IS :: INTEGER NOT NULL | FLOAT NOT NULL`;

/** A day that the calendar has. */
const day = cypher`[0-9]{4}-(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|[0-9]{4}-(0[469]|11)-(0[1-9]|[12][0-9]|30)|[0-9]{4}-02-(0[1-9]|1[0-9]|2[0-8])|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29`;
const date = cypher`'${day}'`;
const dateTime = cypher`'(${day})T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?(Z|[+-]([01][0-9]|2[0-3]):?[0-5][0-9])'`;

const converted: Record<Scalar, (value: Piece) => Piece> = {
  String: (value) => value,
  ID: (value) => value,
  Boolean: (value) => value,
  Int: (value) => cypher`toInteger(${value})`,
  Float: (value) => cypher`toFloat(${value})`,
  DateTime: instantOf,
  Date: (value) => cypher`date(${value})`,
};

const integer = (text: Part, start: number, length: number) =>
  cypher`toInteger(substring(${text}, ${count(start)}, ${count(length)}))`;

/** An instant in UTC, in whole milliseconds, however many digits its seconds have. */
function instantOf(text: Piece): Piece {
  const at = (index: number, sign: string) => cypher`substring(${text}, ${count(index)}, 1) = ${literal(sign)}`;
  const seconds = cypher`CASE WHEN ${at(16, ':')} THEN ${integer(text, 17, 2)} ELSE 0 END`;
  const before = (of: Piece, sign: string) => cypher`split(${of}, ${literal(sign)})[0]`;
  const digits = before(before(before(cypher`substring(${text}, 20)`, 'Z'), '+'), '-');
  const fraction = cypher`CASE WHEN ${at(19, '.')} THEN toInteger(left((${digits} + ${literal('00')}), 3)) ELSE 0 END`;
  const zone = cypher`right(replace(${text}, ${literal(':')}, ${literal('')}), 5)`;
  const minutes = operation`${integer(zone, 1, 2)} * 60 + ${integer(zone, 3, 2)}`;
  const sign = operation`CASE left(${zone}, 1) WHEN ${literal('-')} THEN -1 ELSE 1 END`;
  const ahead = cypher`CASE WHEN ${text} ENDS WITH ${literal('Z')} THEN 0 ELSE ${minutes} * ${sign} END`;
  const start = cypher`datetime((substring(${text}, 0, 16) + ${literal(':00Z')}))`;
  return operation`${start} + duration({${nameOf('minutes')}: -(${ahead}), ${nameOf('seconds')}: ${seconds}, ${nameOf('milliseconds')}: ${fraction}})`;
}
