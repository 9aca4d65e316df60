import {
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLFieldMap,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type NameNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { QueryResult, RecordShape } from 'neo4j-driver';
import { refuse } from '../base/reasons.ts';
import type { PageAsked } from '../graph/qualify/qualifier.ts';
import { cursorOf, indexCursor, type Place, readCursor, readValue } from './cursors.ts';

/** What the resolvers of pages need of the read that they run in. */
interface PageContext {
  executionContext: {
    run<Row extends RecordShape>(
      query: string,
      parameters?: Record<string, unknown>,
      page?: PageAsked,
    ): PromiseLike<QueryResult<Row>>;
    /** Set where an answer was cut by the default length of a page, which its query did not ask for. */
    isTruncated?: boolean;
  };
}

type Resolver = GraphQLFieldResolver<unknown, PageContext, Record<string, unknown>>;

/** What @neo4j/graphql resolves a connection to. */
interface Connection {
  edges: Edge[];
  pageInfo: Record<string, unknown>;
}

interface Edge {
  cursor: string;
  /** What its row is sorted by, and last its id. */
  keys?: unknown[];
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
    const more = { ...args, ...(length !== undefined && { first: length + 1 }) };
    const connection = await pageOf(resolve, [source, more, context, withoutPageInfo(info)]);
    if (length === undefined) return connection;
    const hasNextPage = connection.edges.length > length;
    if (hasNextPage && asked === undefined) context.executionContext.isTruncated = true;
    const edges = connection.edges.slice(0, length);
    const endCursor = edges.at(-1)?.cursor;
    return { ...connection, edges, pageInfo: { ...connection.pageInfo, endCursor, hasNextPage } };
  };
}

/**
 * A page whose cursors say what its rows are sorted by, so that the next one begins there, however far it is and
 * whatever is written meanwhile.
 */
async function pageOf(resolve: Resolver, call: Parameters<Resolver>): Promise<Connection> {
  const [source, args, context, info] = call;
  const after = typeof args.after === 'string' ? readCursor(args.after) : undefined;
  const isKnown = typeof after === 'object';
  if (!isKnown && !asksCursors(info)) return (await resolve(...call)) as Connection;
  const order = orderOf(args.sort, info);
  const [rest, parameters] = isKnown ? [{ ...args, after: undefined }, parametersOf(after, order, info)] : [args, {}];
  const page: PageAsked = isKnown ? { after: after.values.map((each) => each === null) } : {};
  const executionContext: PageContext['executionContext'] = {
    run: (query, given) => context.executionContext.run(query, { ...given, ...parameters }, page),
  };
  const sorted = { ...rest, sort: order.map(({ field, direction }) => ({ [field]: direction })) };
  const found = (await resolve(source, sorted, { ...context, executionContext }, info)) as Connection;
  const begin = isKnown ? after.index + 1 : (after ?? -1) + 1;
  const types = order.map(({ type }) => type);
  const edges = found.edges.map((edge, at) => {
    const id = edge.keys?.at(-1);
    if (id === undefined) throw new Error('A row of a page does not tell its place');
    // An id that is none was written past Concord.
    if (typeof id !== 'string') return { ...edge, cursor: indexCursor(begin + at) };
    const place = { order: written(order), index: begin + at, values: edge.keys?.slice(0, -1) ?? [], id };
    return { ...edge, cursor: cursorOf(place, types) };
  });
  const [startCursor, endCursor] = [edges[0]?.cursor, edges.at(-1)?.cursor];
  return { ...found, edges, pageInfo: { ...found.pageInfo, startCursor, endCursor, hasPreviousPage: begin > 0 } };
}

interface Sorted {
  field: string;
  direction: string;
  /** The name of its GraphQL type. */
  type: string;
}

/** What a connection is sorted by: by id where its query doesn't say. */
function orderOf(sort: unknown, info: GraphQLResolveInfo): Sorted[] {
  const given = (Array.isArray(sort) ? sort : []).flatMap((each: object) => Object.entries(each));
  const named = given.length > 0 ? given : [['id', 'ASC']];
  const fields = fieldsOf(fieldsOf(fieldsOf(info.returnType).edges?.type).node?.type);
  return named.map(([field, direction]) => ({ field, direction, type: getNamedType(fields[field]?.type)?.name ?? '' }));
}

function fieldsOf(type: GraphQLOutputType | undefined): GraphQLFieldMap<unknown, unknown> {
  const named = getNamedType(type);
  return isObjectType(named) || isInterfaceType(named) ? named.getFields() : {};
}

const written = (order: readonly Sorted[]) => order.map(({ field, direction }) => `${field} ${direction}`).join(', ');

/** Each adds a level to the condition of what is behind a row. */
const mostSorted = 16;

/** @throws ConcordError -32010 `bad-argument` where the cursor is of another order, or its values are of other types */
function parametersOf({ order, values, id }: Place, sorted: readonly Sorted[], info: GraphQLResolveInfo) {
  const path = [String(info.path.key)];
  const fault = (what: string) =>
    refuse('bad-argument', `The cursor 'after' of '${path}' ${what}`, { argument: 'after', path });
  if (order !== written(sorted) || values.length !== sorted.length)
    throw fault('is of another order; leave it out, or sort as the query did that gave it');
  if (sorted.length > mostSorted) throw fault(`is of an order of more than ${mostSorted} fields, which ends the pages`);
  const parameters: Record<string, unknown> = { afterId: id };
  for (const [at, { field, type }] of sorted.entries()) {
    // An id is never absent.
    if (values[at] === null && field !== 'id') continue;
    const value = readValue(type, values[at]);
    if (value === undefined) throw fault(`has no ${type} for '${field}'; send it as an answer has given it`);
    parameters[`after${at}`] = value;
  }
  return parameters;
}

const cursorFields = new Set(['cursor', 'startCursor', 'endCursor']);

/** Whether a selection has cursors; it may be those of connections within. */
function asksCursors({ fieldNodes, fragments }: GraphQLResolveInfo): boolean {
  const seen = new Set<FragmentDefinitionNode>();
  const asks = (of: SelectionSetNode | undefined): boolean =>
    of?.selections.some((each) => {
      if (each.kind === Kind.FIELD) return cursorFields.has(each.name.value) || asks(each.selectionSet);
      if (each.kind === Kind.INLINE_FRAGMENT) return asks(each.selectionSet);
      const fragment = fragments[each.name.value];
      if (fragment === undefined || seen.has(fragment)) return false;
      seen.add(fragment);
      return asks(fragment.selectionSet);
    }) ?? false;
  return fieldNodes.some((each) => asks(each.selectionSet));
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
