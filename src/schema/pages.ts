import {
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  Kind,
  type SelectionSetNode,
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
    const isCounted = selects(info, 'totalCount');
    const within = isCounted ? context : { ...context, executionContext: uncounted(context.executionContext) };
    if (length === undefined) return resolve(source, args, within, info);
    const more = { ...args, first: length + 1 };
    const connection = (await resolve(source, more, within, info)) as Connection;
    const hasNextPage = connection.edges.length > length;
    if (hasNextPage && asked === undefined) context.executionContext.isTruncated = true;
    const edges = connection.edges.slice(0, length);
    const endCursor = edges.at(-1)?.cursor;
    return { ...connection, edges, pageInfo: { ...connection.pageInfo, endCursor, hasNextPage } };
  };
}

/** Whether a field of this name is selected of the connection, by whatever name. */
function selects({ fieldNodes, fragments }: GraphQLResolveInfo, name: string): boolean {
  const entered = new Set<string>();
  const within = (set: SelectionSetNode | undefined): boolean =>
    set?.selections.some((each) => {
      if (each.kind === Kind.FIELD) return each.name.value === name;
      if (each.kind === Kind.INLINE_FRAGMENT) return within(each.selectionSet);
      const spread = each.name.value;
      return !entered.has(spread) && within(entered.add(spread) && fragments[spread]?.selectionSet);
    }) ?? false;
  return fieldNodes.some(({ selectionSet }) => within(selectionSet));
}

const counting = /^(\s*WITH collect\(\{node: (\w+)\}\) AS edges), count\(\2\) AS totalCount$/m;
const counted = /, totalCount: totalCount(?=[^\n]*\} AS this\s*$)/;

/** Leaves the count of a connection out of its Cypher, which @neo4j/graphql writes for `pageInfo` too. */
function uncounted(executionContext: Queryable): Queryable {
  return {
    run: (query, parameters) =>
      executionContext.run(
        counting.test(query) ? query.replace(counting, '$1').replace(counted, '') : query,
        parameters,
      ),
  };
}
