import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from '../client/listening.ts';

/** What a collector is sent: spans, metrics or logs. */
export type Signal = 'traces' | 'metrics' | 'logs';

export interface Collector {
  /** What a service is told by the environment, so that it sends all it has here. */
  environment: Record<'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_PROTOCOL', string>;
  close(): Promise<void>;
}

/**
 * A collector of OpenTelemetry: OTLP over HTTP, in JSON.
 * @param take told of each request, with its body
 */
export async function startCollector(take: (signal: Signal, body: string) => void): Promise<Collector> {
  const server = createServer(async (request, response) => {
    take((request.url ?? '').replace('/v1/', '') as Signal, await text(request));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  const { url, close } = await listening(server);
  return { environment: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, close };
}
