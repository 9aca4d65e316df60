import { type GraphQLSchema, graphql } from 'graphql';
import { ConcordError, ErrorCode } from '../../../../src/base/errors.ts';
import { LimitExceeded } from '../../../../src/base/limitExceeded.ts';
import type { Database } from '../../../../src/graph/database/database.ts';
import { UnconfinedCypher } from '../../../../src/graph/qualify/audit/audit.ts';
import { paged } from '../../../../src/graph/qualify/paging/paging.ts';
import { type Conditions, type PageAsked, type Qualifier, RefusedCypher } from '../../../support/qualifier.ts';

/**
 * @param isOwn whether the schema has made the text
 * @param page what it asks of its page
 */
export type Run = (
  cypher: string,
  parameters: Record<string, unknown>,
  isOwn?: boolean,
  page?: PageAsked,
) => Promise<Answer>;

/** What a query came to: its answer, or how it failed. */
export interface Answer {
  rows?: unknown[];
  failed?: string;
  /** Neo4j's code of the failure: all that a caller is told. */
  code?: string;
  refused?: string;
  /** It was rewritten wrongly. */
  unconfined?: true;
  /** It names what is closed. */
  closed?: true;
}

export interface Query {
  language: 'graphql' | 'cypher';
  text: string;
  variables: Record<string, unknown>;
  /**
   * Whether its text was changed where it happened to be: its answer may depend on how the database numbers its nodes.
   */
  isMutated?: boolean;
  /** Whether something in it fails for some values. */
  fails?: boolean;
}

/** A query as it is run, and its rows as the caller gets them. */
function prepared(
  qualifier: Qualifier,
  text: string,
  conditions: Conditions,
  given: Record<string, unknown>,
  isOwn: boolean,
  page?: PageAsked,
) {
  const { cypher, columns, parametersFor } = qualifier.qualify(text, conditions, false, isOwn, page);
  const told = (row: Record<string, unknown>) => {
    const values = Object.values(row);
    return Object.fromEntries(columns.map((name, index) => [name, values[index]]));
  };
  return { cypher, parameters: parametersFor(given), told };
}

/** Runs what a query becomes under the conditions. */
export function qualified(database: Database, qualifier: Qualifier, conditions: Conditions): Run {
  const run = plainly(database);
  return async (text, given, isOwn = false, page) => {
    try {
      const { cypher, parameters, told } = prepared(qualifier, text, conditions, given, isOwn, page);
      const { rows, ...rest } = await run(cypher, parameters);
      return { ...rest, ...(rows && { rows: rows.map((row) => told(row as Record<string, unknown>)) }) };
    } catch (error) {
      if (error instanceof RefusedCypher) return { refused: error.message };
      if (error instanceof ConcordError && error.code === ErrorCode.AlignmentViolation) return { closed: true };
      if (error instanceof LimitExceeded) return { refused: error.message };
      if (error instanceof UnconfinedCypher) return { failed: error.message, unconfined: true };
      throw error;
    }
  };
}

/** How long a query may run: how long one takes is not compared. */
const patienceMs = 60_000;

export const isLate = ({ code = '' }: Answer) => code.includes('TransactionTimedOut');

/** Runs a query as it is; the schema's own with its pages, whose order is Concord's, by no index. */
export function plainly(database: Database): Run {
  return async (given, parameters, isOwn = false, page) => {
    try {
      const text = isOwn ? paged(given.replace(/^CYPHER 5\s/, ''), new Set(), page) : given;
      return { rows: await database.run('READ', text, parameters, { timeout: patienceMs }) };
    } catch (error) {
      const { message, code = '' } = error as Error & { code?: string };
      return { failed: message.split('\n')[0] ?? '', code };
    }
  };
}

/** The answer to a query, in a form that is the same for equal answers. */
export async function answer({ language, text, variables }: Query, schema: GraphQLSchema, run: Run): Promise<Answer> {
  const found = language === 'cypher' ? await run(text, variables) : await asGraphql(text, variables, schema, run);
  return found.rows ? { rows: sorted(found.rows.map(plain)) } : found;
}

async function asGraphql(
  source: string,
  variableValues: Record<string, unknown>,
  schema: GraphQLSchema,
  run: Run,
): Promise<Answer> {
  let fault: Answer | undefined;
  const executionContext = {
    run: async (cypher: string, parameters: Record<string, unknown>, page?: PageAsked) => {
      // The library asks for the server's version once.
      if (cypher.includes('dbms.components')) return { records: [['5.26.19', 'community']] };
      const found = await run(cypher, parameters, true, page);
      if (!found.rows) fault = found;
      const rows = (found.rows ?? []) as Record<string, unknown>[];
      const records = rows.map((row) => ({
        toObject: () => row,
        get: (key: string | number) => (typeof key === 'number' ? Object.values(row)[key] : row[key]),
      }));
      return { records, summary: { counters: { updates: () => ({}) } } };
    },
  };
  const { data, errors } = await graphql({
    schema,
    source,
    variableValues,
    contextValue: { executionContext },
  });
  if (fault) return fault;
  if (errors?.[0]) return { failed: `GraphQL: ${errors[0].message}` };
  return { rows: [data] };
}

/**
 * Without the driver's classes, with lists of objects in one order, and without the last digits of what was averaged.
 */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const elements = value.map(plain);
    return elements.some((each) => typeof each === 'object' && each !== null) ? sorted(elements) : elements;
  }
  if (typeof value === 'number') return withoutLastDigits(value);
  if (value === null || typeof value !== 'object') return value;
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null) return String(value);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, each]) => [key, plain(each)]),
  );
}

/** A number without those of its digits that hang on the order in which Neo4j adds. */
export function withoutLastDigits(value: number): number {
  return Math.abs(value) < 1e-6 ? 0 : Number(value.toPrecision(10));
}

function sorted(rows: unknown[]): unknown[] {
  return rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}
