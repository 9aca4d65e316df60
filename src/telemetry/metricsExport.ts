import { OTLPMetricExporter as GrpcExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { metrics } from '@opentelemetry/sdk-node';

type Environment = Record<string, string | undefined>;

/**
 * What sends metrics by OTLP, where the standard variables name a collector: at OTEL_METRIC_EXPORT_INTERVAL, by the
 * protocol and to the address that they say, which the exporter reads for itself.
 * @returns undefined where metrics are read at `/metrics` alone
 */
export function metricsExport(environment: Environment = process.env): metrics.MetricReader | undefined {
  const { OTEL_METRICS_EXPORTER: exporter, OTEL_METRIC_EXPORT_INTERVAL: interval } = environment;
  const endpoint = environment.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (exporter === undefined || exporter === '' ? !endpoint : exporter !== 'otlp') return undefined;
  const exportIntervalMillis = Number(interval) > 0 ? Number(interval) : 60_000;
  return new metrics.PeriodicExportingMetricReader({
    exporter: exporterOf(environment),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(exportIntervalMillis, 30_000),
  });
}

function exporterOf(environment: Environment): metrics.PushMetricExporter {
  switch (environment.OTEL_EXPORTER_OTLP_METRICS_PROTOCOL ?? environment.OTEL_EXPORTER_OTLP_PROTOCOL) {
    case 'grpc':
      return new GrpcExporter();
    case 'http/json':
      return new JsonExporter();
    default:
      return new ProtobufExporter();
  }
}
