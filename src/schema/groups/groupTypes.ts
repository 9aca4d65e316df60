import {
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isObjectType,
} from 'graphql';
import type { Measure } from '../../graph/qualify/qualifier.ts';

/** A class's connection at the root, and what its entities can be grouped by. */
export interface Grouped {
  connection: string;
  /** The root field of its groups. */
  field: string;
  /** What the names of their types begin with. */
  type: string;
  where: string | undefined;
  /** Fields of one value and the names of their types. */
  keys: [string, string][];
}

/**
 * What can be told of values, by their type. They are called as under the `aggregate` of a connection. A sum of
 * whole numbers may be greater than GraphQL's Int.
 */
const measures: Readonly<Record<string, Readonly<Partial<Record<Measure, string>>>>> = {
  Int: { min: 'Int', max: 'Int', average: 'Float', sum: 'Float', distinct: 'Int!' },
  Float: { min: 'Float', max: 'Float', average: 'Float', sum: 'Float', distinct: 'Int!' },
  String: { shortest: 'String', longest: 'String', distinct: 'Int!' },
  DateTime: { min: 'DateTime', max: 'DateTime', distinct: 'Int!' },
  Date: { min: 'Date', max: 'Date', distinct: 'Int!' },
  Boolean: { distinct: 'Int!' },
  ID: { distinct: 'Int!' },
};

/** The classes whose entities can be grouped. */
export function groupedIn(schema: GraphQLSchema): Grouped[] {
  const fields = schema.getQueryType()?.getFields() ?? {};
  return Object.values(fields).flatMap(({ name, args, type }): Grouped[] => {
    const node = nodeOf(type);
    const sort = getNamedType(args.find((each) => each.name === 'sort')?.type);
    const field = name.replace(/Connection$/, 'GroupBy');
    if (!node || !isInputObjectType(sort) || field === name || field in fields) return [];
    const sorted = sort.getFields();
    const keys = Object.values(node.getFields()).flatMap((each): [string, string][] => {
      const of = getNullableType(each.type);
      return each.name in sorted && isLeafType(of) && of.name in measures ? [[each.name, of.name]] : [];
    });
    if (keys.length === 0) return [];
    const where = args.find((each) => each.name === 'where');
    return [{ connection: name, field, type: `${node.name}GroupBy`, where: where && String(where.type), keys }];
  });
}

/** The class of a connection. */
function nodeOf(type: GraphQLOutputType) {
  const inner = (of: GraphQLOutputType | undefined, name: string) => {
    const named = getNamedType(of);
    return isObjectType(named) ? named.getFields()[name]?.type : undefined;
  };
  const node = getNamedType(inner(inner(type, 'edges'), 'node'));
  return isObjectType(node) ? node : undefined;
}

/** Their root fields and types, as SDL. */
export function groupTypes(all: readonly Grouped[]): string {
  const scalars = new Set(all.flatMap(({ keys }) => keys.map(([, of]) => of)));
  return [...all.map(typesOf), ...[...scalars].map(measureTypes)].join('\n');
}

function typesOf({ field, type, where, keys }: Grouped): string {
  const each = (text: (of: string) => string) => keys.map(([name, of]) => `${name}: ${text(of)}`).join(' ');
  return `
    extend type Query {
      """How many there are of each combination of what is selected under keys, the most first, and what is said of them"""
      ${field}(${where ? `where: ${where}` : ''} sort: [${type}Sort!] limit: Int): [${type}!]!
    }
    type ${type} {
      """What they are grouped by: the fields that are selected here; null where they have no value"""
      keys: ${type}Keys!
      count: Int!
      """What the values come to that they have"""
      aggregate: ${type}Aggregate!
    }
    type ${type}Keys { ${each((of) => of)} }
    type ${type}Aggregate { ${each((of) => `${of}GroupAggregate!`)} }
    """By one of them each"""
    input ${type}Sort { count: SortDirection keys: ${type}KeysSort aggregate: ${type}AggregateSort }
    """Of the fields that are selected under keys"""
    input ${type}KeysSort { ${each(() => 'SortDirection')} }
    input ${type}AggregateSort { ${each((of) => `${of}GroupAggregateSort`)} }`;
}

function measureTypes(scalar: string): string {
  const told = Object.entries(measures[scalar] ?? {});
  return `
    type ${scalar}GroupAggregate { ${told.map(([name, of]) => `${described(name)}${name}: ${of}`).join(' ')} }
    input ${scalar}GroupAggregateSort { ${told.map(([name]) => `${name}: SortDirection`).join(' ')} }`;
}

const described = (measure: string) => (measure === 'distinct' ? '"How many different values" ' : '');
