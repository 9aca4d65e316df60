import {
  extendSchema,
  type FieldNode,
  type GraphQLFieldResolver,
  GraphQLIncludeDirective,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { type DateTime, isDateTime } from 'neo4j-driver';
import { refuse } from '../base/reasons.ts';
import type { PageAsked } from '../graph/qualify/qualifier.ts';
import type { ReadTransaction } from '../graph/reading/readTransaction.ts';

/** A class's connection at the root, and what its entities can be grouped by. */
interface Grouped {
  connection: string;
  /** The root field of its groups. */
  field: string;
  type: string;
  where: string | undefined;
  /** Fields of one value and the names of their types. */
  keys: [string, string][];
}

type Resolver = GraphQLFieldResolver<
  unknown,
  { executionContext: Pick<ReadTransaction, 'run'> },
  Record<string, unknown>
>;

/**
 * The schema with a field at its root for each class, `countriesGroupBy`, that counts its entities by the values that
 * they have in the fields selected under `keys`. It asks what the class's connection would, so that it reads and is
 * confined like that.
 */
export function withGroups(schema: GraphQLSchema): GraphQLSchema {
  const all = groupedIn(schema);
  const definitions = all.map(
    ({ field, type, where, keys }) => `
      extend type Query {
        """How many there are of each combination of what is selected under keys, the most first"""
        ${field}(${where ? `where: ${where}` : ''} limit: Int): [${type}!]!
      }
      type ${type} {
        """What they are grouped by: the fields that are selected here; null where they have no value"""
        keys: ${type}Keys!
        count: Int!
      }
      type ${type}Keys { ${keys.map(([name, of]) => `${name}: ${of}`).join(' ')} }`,
  );
  const extended = extendSchema(schema, parse(definitions.join('\n')));
  const fields = extended.getQueryType()?.getFields() ?? {};
  for (const { connection, field } of all) {
    const [groups, { resolve, type }] = [fields[field], fields[connection] ?? {}];
    if (groups && resolve && type) groups.resolve = groupsResolver(resolve as Resolver, connection, type);
  }
  return extended;
}

function groupedIn(schema: GraphQLSchema): Grouped[] {
  const fields = schema.getQueryType()?.getFields() ?? {};
  return Object.values(fields).flatMap(({ name, args, type }): Grouped[] => {
    const node = nodeOf(type);
    const sort = getNamedType(args.find((each) => each.name === 'sort')?.type);
    const field = name.replace(/Connection$/, 'GroupBy');
    if (!node || !isInputObjectType(sort) || field === name || field in fields) return [];
    const sorted = sort.getFields();
    const keys = Object.values(node.getFields()).flatMap((each): [string, string][] => {
      const of = getNullableType(each.type);
      return each.name in sorted && isLeafType(of) ? [[each.name, of.name]] : [];
    });
    const names = [`${node.name}GroupBy`, `${node.name}GroupByKeys`];
    if (keys.length === 0 || names.some((each) => schema.getType(each))) return [];
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

function groupsResolver(resolve: Resolver, connection: string, returnType: GraphQLOutputType): Resolver {
  return async (source, { where, limit }, context, info) => {
    const keys = [...new Set(keysIn(info))];
    if (keys.length === 0) {
      const path = [String(info.path.key)];
      throw refuse('bad-argument', `Select under 'keys' of '${path}' the fields to group by`, { path });
    }
    const page: PageAsked = { groups: true };
    const executionContext: Pick<ReadTransaction, 'run'> = {
      run: (query, parameters) => context.executionContext.run(query, parameters, page),
    };
    const sort = keys.map((each) => ({ [each]: 'ASC' }));
    // Of what is undefined or null @neo4j/graphql makes no condition, but fails.
    const args = { ...(where ? { where } : {}), sort, ...(limit ? { first: limit } : {}) };
    const asked = { ...info, fieldName: connection, returnType, fieldNodes: [edgesOf(connection)] };
    const found = (await resolve(source, args, { ...context, executionContext }, asked)) as {
      edges: { keys: unknown[]; count: number }[];
    };
    return found.edges.map(({ keys: values, count }) => ({
      keys: Object.fromEntries(keys.map((each, at) => [each, shown(values[at])])),
      count,
    }));
  };
}

const named = (value: string) => ({ kind: Kind.NAME, value }) as const;
const selected = (name: string, inner?: FieldNode): FieldNode => ({
  kind: Kind.FIELD,
  name: named(name),
  ...(inner && { selectionSet: { kind: Kind.SELECTION_SET, selections: [inner] } }),
});
const edgesOf = (connection: string) => selected(connection, selected('edges', selected('node', selected('id'))));

/** The fields under `keys`, whatever they are called in the answer. */
function keysIn({ fieldNodes, fragments, variableValues }: GraphQLResolveInfo): string[] {
  const under = (of: SelectionSetNode | undefined, take: (field: FieldNode) => string[]): string[] =>
    (of?.selections ?? []).flatMap((each) => {
      const isLeftOut =
        getDirectiveValues(GraphQLSkipDirective, each, variableValues)?.if === true ||
        getDirectiveValues(GraphQLIncludeDirective, each, variableValues)?.if === false;
      if (isLeftOut) return [];
      if (each.kind === Kind.FIELD) return take(each);
      const inner = each.kind === Kind.INLINE_FRAGMENT ? each : fragments[each.name.value];
      return under(inner?.selectionSet, take);
    });
  const isOf = (name: string) => (each: FieldNode) => each.name.value === name;
  const keys = ({ selectionSet }: FieldNode) =>
    under(selectionSet, (each) => (isOf('__typename')(each) ? [] : [each.name.value]));
  return fieldNodes.flatMap(({ selectionSet }) =>
    under(selectionSet, (each) => (isOf('keys')(each) ? keys(each) : [])),
  );
}

const shown = (value: unknown) =>
  isDateTime(value as object) ? (value as DateTime).toStandardDate().toISOString() : value;
