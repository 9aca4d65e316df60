import { SpanKind } from '@opentelemetry/api';
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
