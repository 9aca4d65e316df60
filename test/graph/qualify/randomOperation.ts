import {
  type GraphQLArgument,
  GraphQLEnumType,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isNonNullType,
} from 'graphql';
import type { Random } from './random.ts';

/**
 * A random query of whatever a schema offers: its fields with any of their arguments, without knowing what they mean.
 */
export function randomOperation(random: Random, schema: GraphQLSchema): string {
  const query = schema.getQueryType();
  if (!query) throw new Error('The schema has no queries');
  const root = random.pick(Object.values(query.getFields()));
  return `{ ${root.name}${argumentsOf(random, root.args)}${selection(random, root.type, 3)} }`;
}

function selection(random: Random, type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (!(named instanceof GraphQLObjectType || named instanceof GraphQLInterfaceType)) return '';
  const fields = Object.values(named.getFields());
  const isLeaf = (of: GraphQLOutputType) => {
    const inner = getNamedType(of);
    return !(inner instanceof GraphQLObjectType || inner instanceof GraphQLInterfaceType);
  };
  const chosen = fields.filter((each) => random.chance(isLeaf(each.type) ? 0.5 : depth > 0 ? 0.5 : 0));
  const texts = chosen.map(
    (each) => `${each.name}${argumentsOf(random, each.args)}${selection(random, each.type, depth - 1)}`,
  );
  return ` { __typename ${texts.join(' ')} }`;
}

function argumentsOf(random: Random, given: readonly GraphQLArgument[]): string {
  const chosen = given.filter((each) => isNonNullType(each.type) || random.chance(0.5));
  const texts = chosen.map((each) => `${each.name}: ${input(random, each.type, 4)}`);
  return texts.length > 0 ? `(${texts.join(', ')})` : '';
}

function input(random: Random, type: GraphQLInputType, depth: number): string {
  if (type instanceof GraphQLNonNull) return input(random, type.ofType, depth);
  if (type instanceof GraphQLList) return `[${input(random, type.ofType, depth)}]`;
  if (type instanceof GraphQLEnumType) return random.pick(type.getValues()).name;
  if (type instanceof GraphQLInputObjectType) return inputObject(random, type, depth);
  switch (type.name) {
    case 'Int':
    case 'BigInt':
      return String(1 + random.below(9));
    case 'Float':
      return random.pick(['0.5', '2.25']);
    case 'Boolean':
      return random.pick(['true', 'false']);
    case 'DateTime':
      return '"2024-01-02T03:04:05Z"';
    case 'Date':
      return '"2024-01-02"';
    case 'Duration':
      return '"P1D"';
    default:
      return random.pick(['"a"', '"b"']);
  }
}

/** One member, or what has no others: @neo4j/graphql refuses some combinations. */
function inputObject(random: Random, type: GraphQLInputObjectType, depth: number): string {
  const fields = Object.values(type.getFields());
  const isObject = (of: GraphQLInputType) => getNamedType(of) instanceof GraphQLInputObjectType;
  const logical = new Set(['AND', 'OR', 'NOT']);
  const shallow = fields.filter((each) => !isObject(each.type) || (!logical.has(each.name) && depth > 0));
  const possible = depth > 0 ? fields : shallow;
  if (possible.length === 0) return '{}';
  const field = random.pick(possible);
  return `{${field.name}: ${input(random, field.type, depth - 1)}}`;
}
