import type { Names } from '../../vocabulary/names.ts';
import type { LiteralField, Scalar } from '../../vocabulary/vocabulary.ts';
import { isCertaintyOnly, prefix, projectedQualifies, type Shape, typedEdge } from './conditions.ts';

/** A literal field as the graph has it. */
export interface ProjectedField extends Pick<LiteralField, 'scalar' | 'list'> {
  relationshipType: string;
}

/** The literal fields of a vocabulary, given by predicate, by the property of an entity that projects them. */
export function projectedFieldsOf(
  fields: ReadonlyMap<string, LiteralField>,
  names: Names,
): Map<string, ProjectedField> {
  return new Map(
    [...fields].map(([iri, { scalar, list }]) => [
      names.property(iri),
      { relationshipType: names.relationshipType(iri), scalar, list },
    ]),
  );
}

/** An entity in the text of a query: a variable, or an expression that gives one. */
export interface EntityText {
  text: string;
  isVariable: boolean;
}

/**
 * The property of an entity as the statements that qualify have it: the value of the best, or all of them in a list field. The same choice
 * and order as `projectionOf`.
 */
export function qualifiedValue(
  entity: EntityText,
  key: { source: string; name: string },
  field: ProjectedField,
  shape: Shape,
): string {
  if (isProjectedBest(field, shape)) {
    return `CASE WHEN ${projectedQualifies(entity.text, key.name)} THEN ${entity.text}.${key.source} END`;
  }
  const best = `${statements(entity, field, shape)} WITH ${converted[field.scalar](`${literal}.value`)} AS ${value}, ${edge} ORDER BY ${rank}`;
  if (!field.list) return `head(COLLECT { ${best} LIMIT 1 RETURN ${value} })`;
  // No aggregating function: Neo4j would take the whole expression for an aggregation.
  const distinct = `reduce(${seen} = [], ${each} IN ${all} | CASE WHEN ${each} IN ${seen} THEN ${seen} ELSE ${seen} + ${each} END)`;
  return `head([${all} IN [COLLECT { ${best} RETURN ${value} }] WHERE size(${all}) > 0 | ${distinct}])`;
}

/** Whether the projected property is the right value as soon as any statement qualifies: the best one has the highest certainty. */
function isProjectedBest(field: ProjectedField, shape: Shape): boolean {
  return isCertaintyOnly(shape) && !field.list;
}

/** Whether a condition may ask the property itself, so that its index serves, and then whether its statement qualifies. */
export function isPlainlyBest(name: string, field: ProjectedField, shape: Shape): boolean {
  return isProjectedBest(field, shape) && !ofLiterals.has(name);
}

/** The properties that literals have themselves. */
export const ofLiterals = new Set(['value', 'datatype', 'language']);

/** The edges that the property rests on, as a list. */
export function edgesBehind(entity: EntityText, field: ProjectedField, shape: Shape): string {
  const limit = field.list ? '' : ' LIMIT 1';
  return `COLLECT { ${statements(entity, field, shape)} WITH ${edge} ORDER BY ${rank}${limit} RETURN ${edge} }`;
}

const subject = `${prefix}Subject`;
const edge = `${prefix}Edge`;
const literal = `${prefix}Literal`;
const value = `${prefix}Value`;
const all = `${prefix}All`;
const each = `${prefix}Each`;
const seen = `${prefix}Seen`;
const rank = `coalesce(${edge}.certainty, 1.0) DESC, ${edge}.observedAt DESC, ${edge}.statementId`;

function statements(entity: EntityText, field: ProjectedField, shape: Shape): string {
  const { pattern, where } = typedEdge(edge, field.relationshipType, shape);
  const bound = entity.isVariable ? '' : `WITH ${entity.text} AS ${subject} `;
  const from = entity.isVariable ? entity.text : subject;
  const conditions = [...where, ...fits[field.scalar](`${literal}.value`)].join(' AND ');
  return `${bound}MATCH (${from})-${pattern}->(${literal}:Literal) WHERE ${conditions}`;
}

/** What a value must meet to be shown in a field: what `projectionOf` asks of it. */
const fits: Record<Scalar, (value: string) => string[]> = {
  String: (value) => [`${value} IS :: STRING NOT NULL`],
  ID: (value) => [`${value} IS :: STRING NOT NULL`],
  Boolean: (value) => [`${value} IS :: BOOLEAN NOT NULL`],
  Int: (value) => [
    number(value),
    `CASE WHEN ${number(value)} THEN toInteger(${value}) = ${value} AND -2147483648 <= ${value} <= 2147483647 ELSE false END`,
  ],
  Float: (value) => [number(value)],
  DateTime: (value) => [matches(value, `(${isoDay})T${isoTime}(Z|[+-]${offset})`)],
  Date: (value) => [matches(value, isoDay)],
};

const number = (value: string) => `${value} IS :: INTEGER NOT NULL | FLOAT NOT NULL`;

const matches = (value: string, pattern: string) =>
  `CASE WHEN ${value} IS :: STRING NOT NULL THEN ${value} =~ '${pattern}' ELSE false END`;

const leapYear = '([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)';
/** A day that the calendar has. */
const isoDay = [
  '[0-9]{4}-(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])',
  '[0-9]{4}-(0[469]|11)-(0[1-9]|[12][0-9]|30)',
  '[0-9]{4}-02-(0[1-9]|1[0-9]|2[0-8])',
  `${leapYear}-02-29`,
].join('|');
const isoTime = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?';
const offset = '([01][0-9]|2[0-3]):?[0-5][0-9]';

const converted: Record<Scalar, (value: string) => string> = {
  String: (value) => value,
  ID: (value) => value,
  Boolean: (value) => value,
  Int: (value) => `toInteger(${value})`,
  Float: (value) => `toFloat(${value})`,
  DateTime: dateTimeOf,
  Date: (value) => `date(${value})`,
};

const integer = (text: string, start: number, length: number) =>
  `toInteger(substring(${text}, ${start}, ${length}))`;

/** An instant in UTC, in whole milliseconds, however many digits its seconds have. */
function dateTimeOf(text: string): string {
  const seconds = `CASE WHEN substring(${text}, 16, 1) = ':' THEN ${integer(text, 17, 2)} ELSE 0 END`;
  const fraction = `CASE WHEN substring(${text}, 19, 1) = '.' THEN toInteger(left(split(split(split(substring(${text}, 20), 'Z')[0], '+')[0], '-')[0] + '00', 3)) ELSE 0 END`;
  const zone = `right(replace(${text}, ':', ''), 5)`;
  const ahead = `CASE WHEN ${text} ENDS WITH 'Z' THEN 0 ELSE (${integer(zone, 1, 2)} * 60 + ${integer(zone, 3, 2)}) * CASE left(${zone}, 1) WHEN '-' THEN -1 ELSE 1 END END`;
  return `datetime(substring(${text}, 0, 16) + ':00Z') + duration({minutes: -(${ahead}), seconds: ${seconds}, milliseconds: ${fraction}})`;
}
