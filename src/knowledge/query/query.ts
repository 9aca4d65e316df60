import type { GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { type ConcordError, ErrorCode } from '../../base/errors.ts';
import { LimitExceeded } from '../../base/limitExceeded.ts';
import { refuse } from '../../base/reasons.ts';
import type { Call, UnaryMethod } from '../../calls/call.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import type { Closed } from '../../graph/names/closed.ts';
import type { Conditions } from '../../graph/qualify/qualifier.ts';
import { type ReadParts, ReadTransaction } from '../../graph/reading/readTransaction.ts';
import type { QueryResult as Answered } from '../../wire/types.ts';
import { refuseClosedValues } from '../closed/closedValues.ts';
import { type ClosedTo, conditionParams, conditionsOf, wishesOf } from '../conditions.ts';
import { identifier, optional } from '../patch.ts';
import { runCypher } from './cypher.ts';
import { type Operations, queryFault } from './operations.ts';
import type { QueryLimits } from './queryLimits.ts';

/** The answer to a query in either language. */
export type QueryResult = Answered<Record<string, unknown> | null>;

export interface QueryParts extends ReadParts {
  schema: GraphQLSchema;
  operations: Operations;
  limits: QueryLimits;
  /** Whether agents may send Cypher: one expression of it can take all of Neo4j's memory, which no limit sees. */
  takesCypher: boolean;
  closedTo: ClosedTo;
  /** Whether edits by hand are seen, or aren't meant to be. */
  seesEdits(): boolean;
  /** Milliseconds since 1970. */
  now(): number;
}

/** What `knowledge/query` takes. */
export const queryParams = z.strictObject({
  query: z.string().min(1, 'is empty'),
  queryLanguage: optional(z.string()),
  variables: optional(z.record(z.string(), z.unknown())),
  taskId: optional(identifier),
  sessionId: optional(identifier),
  ...conditionParams,
});

/** Characters of a query. */
const longest = 100_000;

/**
 * `knowledge/query`: a query over the tenant's graph in GraphQL or in read-only Cypher. Knowledge graph extension 1.0,
 * section 4.1.
 * @throws ConcordError -32602, -32010, -32013
 */
export function queryMethod(parts: QueryParts): UnaryMethod<QueryResult> {
  return Object.assign(answering(parts), { maxAnswerBytes: parts.maxBytes, params: queryParams });
}

/** Answers the params of a query. */
export type Query = (raw: unknown, call: Call) => Promise<QueryResult>;

function answering(parts: QueryParts): Query {
  return async (raw, call) => {
    requireScope(call, 'knowledge:query', ErrorCode.KnowledgeQuery);
    const { query, queryLanguage = 'graphql', variables, ...asked } = parseParams(queryParams, raw);
    if (query.length > longest) throw tooLong(query.length);
    const closed = parts.closedTo(call.principal);
    const read = readerOf(queryLanguage, { ...parts, query, variables, closed, call });
    const conditions = conditionsOf(call.principal, asked, closed, parts.now());
    const started = performance.now();
    const leave = read.admit();
    const tx = new ReadTransaction(parts, conditions, call.signal, wishesOf(asked));
    try {
      const data = await read.run(tx);
      const { databaseMs, ...summary } = await tx.summary();
      return {
        data,
        queryMetadata: {
          ...summary,
          durationMs: rounded(performance.now() - started),
          databaseMs: rounded(databaseMs),
          ...(!parts.seesEdits() && { editsUnseen: true as const }),
          conditions: told(conditions),
        },
      };
    } catch (error) {
      call.signal.throwIfAborted();
      throw queryFault(error);
    } finally {
      tx.end();
      leave();
    }
  };
}

/** The languages of `knowledge/query`. */
export function queryLanguages(takesCypher: boolean): string[] {
  return takesCypher ? ['graphql', 'cypher'] : ['graphql'];
}

interface Reader {
  /** Lets the query in, by the limits; returns what tells that it has ended. */
  admit(): () => void;
  run(tx: ReadTransaction): Promise<Record<string, unknown> | null>;
}

interface ReaderParts extends Pick<QueryParts, 'schema' | 'limits' | 'takesCypher'> {
  operations: Operations;
  call: Call;
  query: string;
  variables: Record<string, unknown> | undefined;
  closed: Closed | undefined;
}

/**
 * @throws ConcordError -32010 where the query can't be read in its language
 * @throws ConcordError -32013 where its arguments name what is closed
 */
function readerOf(language: string, parts: ReaderParts): Reader {
  const { operations, schema, limits, call, query, variables, closed, takesCypher } = parts;
  const { principal, signal } = call;
  if (language === 'cypher' && takesCypher)
    return { admit: () => limits.enter(principal), run: (tx) => runCypher(tx, query, variables) };
  if (language !== 'graphql')
    throw unsupportedLanguage(language, queryLanguages(takesCypher), ErrorCode.KnowledgeQuery);
  const operation = operations.parse(query, 'query');
  if (closed) refuseClosedValues(schema, operation, variables, closed);
  return {
    admit: () => limits.admit(principal, operation, variables),
    run: (tx) => operations.execute(operation, variables, { executionContext: tx, principal, signal }),
  };
}

function tooLong(found: number): LimitExceeded {
  const message = `The query has ${found} characters, more than the limit of ${longest}; split it`;
  return new LimitExceeded('too-large', message, { limit: longest, found });
}

export function unsupportedLanguage(language: string, supported: readonly string[], code: ErrorCode): ConcordError {
  const use = supported.map((each) => `'${each}'`).join(' or ');
  return refuse(
    'unsupported-language',
    `The query language '${language}' is not supported; use ${use}`,
    { supported },
    { code },
  );
}

function told({ requiredCertainty, observedSince, asOf, asOfRevision, graphs }: Conditions) {
  return {
    ...(requiredCertainty !== undefined && { requiredCertainty }),
    ...(observedSince !== undefined && { observedSince: observedSince.toISOString() }),
    ...(asOf !== undefined && { asOf: asOf.toISOString() }),
    ...(asOfRevision !== undefined && { asOfRevision }),
    ...(graphs !== undefined && { graphs }),
  };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
