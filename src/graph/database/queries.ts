import { type Attributes, SpanKind } from '@opentelemetry/api';
import { LRUCache } from 'lru-cache';
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
        { 'db.system.name': 'neo4j', 'db.operation.name': access, ...told(query, instruments) },
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

/** Characters of a text in a span. */
const longestText = 2_000;

/** What a span tells of a query: its text, which holds names only, for every value travels as a parameter, or its kind. */
function told(query: string, { tellsQueryText }: Instruments): Attributes {
  const summary = { 'db.query.summary': summaryOf(query) };
  return tellsQueryText ? { ...summary, 'db.query.text': query.slice(0, longestText) } : summary;
}

const summaries = new LRUCache<string, string>({ max: 1_000 });

/**
 * The clauses of a query with the labels and types behind them, without values: `MATCH Ledger SET`. OpenTelemetry's
 * semantic conventions for databases, "Generating a summary of the query". As the same texts come again and again, it is
 * made once for each.
 */
export function summaryOf(query: string): string {
  const known = summaries.get(query);
  if (known !== undefined) return known;
  const words = query.slice(0, longestText).matchAll(pieces);
  const summary = [...words]
    .map(([clause, label]) => label ?? clause.replace(/\s+/g, ' '))
    .join(' ')
    .slice(0, 255);
  summaries.set(query, summary);
  return summary;
}

/** Clauses that read or write, and names behind a colon; a name in quotes may be anybody's word. */
const pieces =
  /\b(?:OPTIONAL\s+MATCH|MATCH|MERGE|CREATE|DETACH\s+DELETE|DELETE|REMOVE|SET|CALL|UNWIND|RETURN|SHOW|DROP)\b|(?<=[([]\w*):([A-Z]\w*)/g;
