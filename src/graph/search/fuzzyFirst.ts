import { Neo4jError } from 'neo4j-driver';
import { luceneQuery } from './words.ts';

/**
 * Asks a full-text index for words, also misspelt ones; as they are where that comes to more clauses than Lucene takes,
 * since they are like very many others.
 * @param ask takes a query in Lucene's syntax
 * @param prefix as of `luceneQuery`
 */
export async function fuzzyFirst<Found>(
  words: string[],
  ask: (query: string) => Promise<Found>,
  prefix?: string,
): Promise<Found> {
  try {
    return await ask(luceneQuery(words, true, prefix));
  } catch (error) {
    if (error instanceof Neo4jError && error.code.endsWith('ProcedureCallFailed'))
      return ask(luceneQuery(words, false, prefix));
    throw error;
  }
}
