import type { IncomingMessage, ServerResponse } from 'node:http';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { metrics } from '@opentelemetry/sdk-node';
import { createInstruments, type Instruments } from './instruments.ts';
import { observeProcess } from './process.ts';

export interface Metrics {
  instruments: Instruments;
  /** Answers GET /metrics in Prometheus' text format. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

/**
 * Starts the metrics of this process. They are read through `handle`; no server of their own is started.
 * @param options as `createInstruments` takes them
 */
export function startMetrics({ tellsQueryText = false } = {}): Metrics {
  const exporter = new PrometheusExporter({
    preventServerStart: true,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
  });
  const provider = new metrics.MeterProvider({ readers: [exporter] });
  const meter = provider.getMeter('concord');
  const process = observeProcess(meter);
  return {
    instruments: createInstruments(meter, { tellsQueryText }),
    handle: (request, response) => exporter.getMetricsRequestHandler(request, response),
    async close() {
      process.close();
      await provider.shutdown();
    },
  };
}
