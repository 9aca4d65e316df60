import type { QueryResult, Record, RecordShape, Result } from 'neo4j-driver';

/** All records of a result, each told to `onRecord` as it comes. Neo4j sends on while they are taken, a thousand at a time. */
export function collected<Row extends RecordShape>(
  result: Result<Row>,
  onRecord: (record: Record) => void,
): Promise<QueryResult<Row>> {
  return new Promise((resolve, reject) => {
    const records: Record<Row>[] = [];
    result.subscribe({
      onNext: (record) => {
        records.push(record as Record<Row>);
        onRecord(record);
      },
      onCompleted: (summary) => resolve({ records, summary } as QueryResult<Row>),
      onError: reject,
    });
  });
}
