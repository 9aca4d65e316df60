import { SpanKind } from '@opentelemetry/api';
import type { QueryResult, Record, RecordShape, Result } from 'neo4j-driver';
import type { Instruments } from '../../telemetry/instruments.ts';
import { withSpan } from '../../telemetry/tracing.ts';
import type { Queryable } from './queryable.ts';

/** The same transaction with a span and a time measured for each query. A query is sent as soon as `run` is called. */
export function traced(tx: Queryable, access: 'READ' | 'WRITE', instruments: Instruments): Queryable {
  return {
    run: (query, parameters) =>
      withSpan(
        `neo4j ${access}`,
        // The text holds names only: every value travels as a parameter.
        { 'db.system.name': 'neo4j', 'db.operation.name': access, 'db.query.text': query.slice(0, 2_000) },
        async () => {
          const started = performance.now();
          let outcome: 'ok' | 'failed' = 'failed';
          try {
            const result = await tx.run(query, parameters);
            outcome = 'ok';
            return result;
          } finally {
            const labels = { access: access === 'READ' ? ('read' as const) : ('write' as const), outcome };
            instruments.queryDuration.record((performance.now() - started) / 1_000, labels);
          }
        },
        SpanKind.CLIENT,
      ),
  };
}

/**
 * All records of a result, each told to `onRecord` as it comes. Neo4j sends on while they are taken, a thousand at a
 * time.
 */
export function collect<Row extends RecordShape>(
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
