import {
  extendSchema,
  type FieldNode,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLSchema,
  Kind,
  parse,
} from 'graphql';
import { isDateTime } from 'neo4j-driver';
import type { PageAsked } from '../../graph/qualify/qualifier.ts';
import type { ReadTransaction } from '../../graph/reading/readTransaction.ts';
import { isoOf } from '../../graph/statements/values.ts';
import { type Asked, type GroupSort, groupsAsked } from './groupsAsked.ts';
import { groupedIn, groupTypes } from './groupTypes.ts';

type Resolver = GraphQLFieldResolver<
  unknown,
  { executionContext: Pick<ReadTransaction, 'run'> },
  Record<string, unknown>
>;

/**
 * The schema with a field at its root for each class, `countriesGroupBy`, that counts its entities by the values that
 * they have in the fields selected under `keys`, and tells what their other values come to. It asks what the class's
 * connection would, so that it reads and is confined like that.
 */
export function withGroups(schema: GraphQLSchema): GraphQLSchema {
  const all = groupedIn(schema);
  const extended = extendSchema(schema, parse(groupTypes(all)));
  const fields = extended.getQueryType()?.getFields() ?? {};
  for (const { connection, field } of all) {
    const [groups, { resolve, type }] = [fields[field], fields[connection] ?? {}];
    if (groups && resolve && type) groups.resolve = groupsResolver(resolve as Resolver, connection, type);
  }
  return extended;
}

function groupsResolver(resolve: Resolver, connection: string, returnType: GraphQLOutputType): Resolver {
  return async (source, { where, sort, limit }, context, info) => {
    const asked = groupsAsked(info, (sort ?? []) as GroupSort[]);
    const page: PageAsked = { groups: asked.groups };
    const executionContext: Pick<ReadTransaction, 'run'> = {
      run: (query, parameters) => context.executionContext.run(query, parameters, page),
    };
    // Of what is undefined or null @neo4j/graphql makes no condition, but fails.
    const args = {
      ...(where ? { where } : {}),
      sort: asked.fields.map((each) => ({ [each]: 'ASC' })),
      ...(limit ? { first: limit } : {}),
    };
    const ofConnection = { ...info, fieldName: connection, returnType, fieldNodes: [edgesOf(connection)] };
    const found = (await resolve(source, args, { ...context, executionContext }, ofConnection)) as { edges: Group[] };
    return found.edges.map((each) => shown(each, asked));
  };
}

const named = (value: string) => ({ kind: Kind.NAME, value }) as const;
const selected = (name: string, inner?: FieldNode): FieldNode => ({
  kind: Kind.FIELD,
  name: named(name),
  ...(inner && { selectionSet: { kind: Kind.SELECTION_SET, selections: [inner] } }),
});
const edgesOf = (connection: string) => selected(connection, selected('edges', selected('node', selected('id'))));

/** As Neo4j tells it (`graph/qualify/paging/groups.ts`). */
interface Group {
  keys: unknown[];
  count: number;
  measured: unknown[];
}

function shown({ keys, count, measured }: Group, asked: Asked) {
  const aggregate: Record<string, Record<string, unknown>> = Object.fromEntries(asked.told.map((each) => [each, {}]));
  for (const [at, [field, by]] of asked.measured.entries())
    aggregate[field] = { ...aggregate[field], [by]: told(measured[at]) };
  return {
    keys: Object.fromEntries(keys.map((each, at) => [asked.fields[at], told(each)])),
    count,
    aggregate,
  };
}

const told = (value: unknown) => (isDateTime(value as object) ? isoOf(value) : value);
