import neo4j, { type QueryResult, type RecordShape } from 'neo4j-driver';
import type { Qualified } from '../qualify/qualifier.ts';

/**
 * The answer to a qualified query with its columns called as its author has called them, and apart from it what each
 * row rests on.
 */
export function answerOf<Row extends RecordShape>(
  { records, summary }: QueryResult,
  { columns, consulted }: Pick<Qualified, 'columns' | 'consulted'>,
): { result: QueryResult<Row>; consulted: unknown[] } {
  const keys = [...columns] as Extract<keyof Row, string>[];
  const named = records.map((record) => new neo4j.types.Record<Row>(keys, [...record.values()].slice(0, keys.length)));
  return {
    result: { records: named, summary },
    consulted: consulted ? records.map((record) => record.get(keys.length)) : [],
  };
}
