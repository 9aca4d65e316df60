import {
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  Kind,
  type NameNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { Queryable } from '../graph/database/queryable.ts';

/** What the resolvers of pages need of the read that they run in. */
interface PageContext {
  executionContext: Queryable & {
    /** Set where an answer was cut by the default length of a page, which its query did not ask for. */
    isTruncated?: boolean;
  };
}

type Resolver = GraphQLFieldResolver<unknown, PageContext, Record<string, unknown>>;

/** What @neo4j/graphql resolves a connection to. */
interface Connection {
  edges: { cursor: string }[];
  pageInfo: Record<string, unknown>;
}

/**
 * Gives every list and connection of a query's own a length: what it asks for, or the default. One row more than that
 * is asked of Neo4j, which tells whether there are more; @neo4j/graphql would count all of a class for it.
 * @param defaultLimit rows; absent means that what has no limit has all rows
 */
export function withPages(schema: GraphQLSchema, defaultLimit: number | undefined): GraphQLSchema {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const { resolve } = field as GraphQLField<unknown, PageContext>;
    if (resolve === undefined) continue;
    if (hasArgument(field, 'limit')) field.resolve = listResolver(resolve, defaultLimit);
    else if (hasArgument(field, 'after')) field.resolve = connectionResolver(resolve, defaultLimit);
  }
  return schema;
}

const hasArgument = ({ args }: GraphQLField<unknown, unknown>, name: string) => args.some((each) => each.name === name);

function listResolver(resolve: Resolver, defaultLimit: number | undefined): Resolver {
  return async (source, args, context, info) => {
    // To @neo4j/graphql 0 is no limit.
    if (args.limit || defaultLimit === undefined) return resolve(source, args, context, info);
    const asked = { ...args, limit: defaultLimit + 1 };
    const rows = (await resolve(source, asked, context, info)) as unknown[];
    if (rows.length > defaultLimit) context.executionContext.isTruncated = true;
    return rows.slice(0, defaultLimit);
  };
}

function connectionResolver(resolve: Resolver, defaultLimit: number | undefined): Resolver {
  return async (source, args, context, info) => {
    const asked = Number(args.first) || undefined;
    const length = asked ?? defaultLimit;
    const uncounted = withoutPageInfo(info);
    if (length === undefined) return resolve(source, args, context, uncounted);
    const more = { ...args, first: length + 1 };
    const connection = (await resolve(source, more, context, uncounted)) as Connection;
    const hasNextPage = connection.edges.length > length;
    if (hasNextPage && asked === undefined) context.executionContext.isTruncated = true;
    const edges = connection.edges.slice(0, length);
    const endCursor = edges.at(-1)?.cursor;
    return { ...connection, edges, pageInfo: { ...connection.pageInfo, endCursor, hasNextPage } };
  };
}

/**
 * The selection of a connection with `edges { cursor }` in the place of `pageInfo`, which is worked out here: for that
 * field @neo4j/graphql would count.
 */
function withoutPageInfo(info: GraphQLResolveInfo): GraphQLResolveInfo {
  const type = getNamedType(info.returnType).name;
  const fieldNodes = info.fieldNodes.map((each) => ({ ...each, selectionSet: cursorsOf(each.selectionSet) }));
  const fragments = Object.entries(info.fragments).map(([name, each]) => {
    const isOfConnection = each.typeCondition.name.value === type;
    return [name, isOfConnection ? { ...each, selectionSet: cursorsOf(each.selectionSet) } : each];
  });
  return { ...info, fieldNodes, fragments: Object.fromEntries(fragments) };
}

const named = (value: string): NameNode => ({ kind: Kind.NAME, value });
const cursor: SelectionSetNode = {
  kind: Kind.SELECTION_SET,
  selections: [{ kind: Kind.FIELD, name: named('cursor') }],
};
const cursors = { name: named('edges'), alias: named('__cursors'), selectionSet: cursor };

const cursorsOf = <Selection extends SelectionSetNode | undefined>(of: Selection): Selection =>
  of && visit(of, { Field: (each) => (each.name.value === 'pageInfo' ? { ...each, ...cursors } : false) });
