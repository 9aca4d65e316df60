import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLField,
  GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { isDate, isDateTime, isInt } from 'neo4j-driver';
import { isObject } from '../base/isObject.ts';
import { isCertainty } from '../graph/statements/statement.ts';

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

/**
 * Lets each field tell a value only where it is of the field's type: what somebody has written past Concord is null, or
 * not in its list. So a value fails no query, whatever it is.
 */
export function withSoundValues(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__') || type === schema.getQueryType()) continue;
    for (const field of Object.values(type.getFields())) {
      const isOfStatement = field.name === 'certainty' && statementTypes.has(type.name);
      const isSound = isOfStatement ? isCertainty : sound[getNamedType(field.type).name];
      if (isSound) tellSound(field, isSound);
    }
  }
  return schema;
}

/** They have a certainty, which no class says anything of. */
const statementTypes = new Set(['Statement', 'StatementProperties', 'StatementSource', 'StatementVersion']);

function tellSound(field: GraphQLField<unknown, unknown>, isSound: (value: unknown) => boolean): void {
  const { name, type, resolve = defaultFieldResolver } = field;
  const isList = isListType(getNullableType(type));
  // Nobody's key is empty, and a count is never absent.
  const absent = isNonNullType(type) ? '' : null;
  field.resolve = (source, args, context, info) => {
    const { name: own, alias = own } = info.fieldNodes[0] ?? { name: { value: name } };
    const members = source as Record<string, unknown>;
    const stored = members[alias.value] ?? members[own.value];
    if (stored === null || stored === undefined) return resolve(source, args, context, info) ?? absent;
    if (!isList) return isSound(stored) ? resolve(source, args, context, info) : absent;
    if (!Array.isArray(stored)) return absent;
    const told = resolve(source, args, context, info) as unknown[];
    if (stored.every(isSound)) return told;
    const left = told.filter((_, at) => isSound(stored[at]));
    return left.length > 0 ? left : absent;
  };
}

const isText = (value: unknown) => typeof value === 'string';
/** Of JSON that was read already, as what each voice says; what the driver makes of a time or a point is none. */
const isPlainObject = (value: unknown) =>
  isObject(value) && Object.getPrototypeOf(value)?.constructor.name === 'Object';
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
/** One that JavaScript's dates reach. */
const isTime = (value: unknown) => !Number.isNaN(Date.parse(String(value)));

/** Whether a value, as the driver or the library's Cypher gives it, is of the scalar. */
const sound: Readonly<Record<string, ((value: unknown) => boolean) | undefined>> = {
  String: isText,
  ID: isText,
  JSON: (value) => isText(value) || isPlainObject(value),
  Boolean: (value) => typeof value === 'boolean',
  Int: (value) => value === ((value as number) | 0),
  Float: isNumber,
  DateTime: (value) => (isText(value) || isDateTime(value as object)) && isTime(value),
  Date: (value) => isDate(value as object) && isTime(value),
  Value: (value) => isText(value) || isNumber(value) || typeof value === 'boolean' || isInt(value),
};
