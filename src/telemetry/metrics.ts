import type { IncomingMessage, ServerResponse } from 'node:http';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { metrics, resources } from '@opentelemetry/sdk-node';
import { createInstruments, type Instruments } from './instruments.ts';
import { metricsExport } from './metricsExport.ts';
import { observeProcess } from './process.ts';

export interface Metrics {
  instruments: Instruments;
  /** Answers GET /metrics in Prometheus' text format. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

/**
 * Starts the metrics of this process. They are read through `handle`, without a server of their own, and sent by OTLP
 * where the standard variables name a collector.
 * @param options as `createInstruments` takes them
 */
export function startMetrics({ tellsQueryText = false } = {}): Metrics {
  const exporter = new PrometheusExporter({
    preventServerStart: true,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
  });
  const sending = metricsExport();
  // As the traces have it.
  const resource = resources
    .defaultResource()
    .merge(resources.resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME || 'concord' }));
  const provider = new metrics.MeterProvider({ resource, readers: [exporter, ...(sending ? [sending] : [])] });
  const meter = provider.getMeter('concord');
  const observing = observeProcess(meter);
  return {
    instruments: createInstruments(meter, { tellsQueryText }),
    handle: (request, response) => exporter.getMetricsRequestHandler(request, response),
    async close() {
      observing.close();
      await provider.shutdown();
    },
  };
}
