import neo4j, { Neo4jError } from 'neo4j-driver';
import { refuse } from '../../base/reasons.ts';
import { isUnavailable } from '../../graph/database/away.ts';
import { RefusedCypher } from '../../graph/qualify/qualifier.ts';
import type { ReadTransaction } from '../../graph/reading/readTransaction.ts';
import { neo4jFault } from './operations.ts';

/**
 * Runs read-only Cypher that an agent has written; it reads what qualifies, as GraphQL does.
 * @param variables the query's parameters; whole numbers are integers
 * @returns its rows by column; times are ISO 8601
 * @throws ConcordError -32010; Neo4jError as it is where the database is unavailable
 */
export async function runCypher(
  tx: ReadTransaction,
  text: string,
  variables: Record<string, unknown> = {},
): Promise<{ rows: Record<string, unknown>[] }> {
  try {
    const parameters = Object.fromEntries(Object.entries(variables).map(([key, each]) => [key, given(each)]));
    const { records } = await tx.runForeign(text, parameters);
    return { rows: records.map((record) => answered(record.toObject()) as Record<string, unknown>) };
  } catch (error) {
    if (error instanceof RefusedCypher) {
      const { construct, position } = error;
      throw refuse('refused-cypher', error.message, { construct, position }, { cause: error });
    }
    throw error instanceof Neo4jError && !isUnavailable(error) ? neo4jFault(error) : error;
  }
}

/** JSON as Neo4j takes it: to the driver every plain number is a float. */
function given(value: unknown): unknown {
  if (Number.isSafeInteger(value)) return neo4j.int(value as number);
  if (Array.isArray(value)) return value.map(given);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, given(each)]));
}

/** What Neo4j gives as JSON has it. */
function answered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(answered);
  if (typeof value !== 'object' || value === null) return value;
  const isMap = [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
  if (!isMap) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, answered(each)]));
}
