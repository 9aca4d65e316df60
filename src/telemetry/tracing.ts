import {
  type Attributes,
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { core, NodeSDK, tracing } from '@opentelemetry/sdk-node';
import { ConcordError } from '../base/errors.ts';

export interface Tracing {
  /** Exports what is still held, then forgets the exporter. */
  close(): Promise<void>;
}

export interface TracingOptions {
  /** Where finished spans go, in place of what the OTEL_* variables say. */
  spanProcessors?: tracing.SpanProcessor[];
  /** The OTEL_* variables decide whether an exporter is configured; OpenTelemetry itself reads the rest of them. */
  environment?: Record<string, string | undefined>;
}

/** True when the standard variables name somewhere to send traces to. */
function exporterConfigured(environment: Record<string, string | undefined>): boolean {
  const exporter = environment.OTEL_TRACES_EXPORTER;
  if (exporter === 'none') return false;
  return Boolean(exporter || environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}

/**
 * Starts OpenTelemetry's tracing for this process: W3C `traceparent`, context over async calls, and the exporter that
 * the OTEL_* variables configure. Without an exporter a span still has its ids, for logs and answers, but costs next to
 * nothing: it is recorded only when the caller's own trace is sampled, so that the flag is passed on unchanged.
 */
export function startTracing(options: TracingOptions = {}): Tracing {
  const environment = options.environment ?? process.env;
  const exported = options.spanProcessors !== undefined || exporterConfigured(environment);
  const sdk = new NodeSDK({
    serviceName: environment.OTEL_SERVICE_NAME || 'concord',
    // Metrics are served by /metrics and logs go to standard output; the SDK would else send both by OTLP.
    metricReaders: [],
    logRecordProcessors: [],
    ...(options.spanProcessors && { spanProcessors: options.spanProcessors }),
    ...(!exported && {
      autoDetectResources: false,
      spanProcessors: [new tracing.NoopSpanProcessor()],
      sampler: new tracing.ParentBasedSampler({ root: new tracing.AlwaysOffSampler() }),
    }),
  });
  sdk.start();
  return {
    async close() {
      try {
        await sdk.shutdown();
      } finally {
        trace.disable();
        context.disable();
        propagation.disable();
      }
    },
  };
}

/** The trace id of the active span, 32 hex digits; undefined outside of any span. */
export function traceId(): string | undefined {
  const span = trace.getActiveSpan()?.spanContext();
  return span && trace.isSpanContextValid(span) ? span.traceId : undefined;
}

/**
 * Runs `work` as a part of the trace that the request's `traceparent` header names, if it has one.
 * @param address that the request comes from
 */
export function continueTrace<T>(headers: Record<string, unknown>, address: string | undefined, work: () => T): T {
  return context.with(propagation.extract(ROOT_CONTEXT, headers).setValue(addressKey, address), work);
}

/** What runs work later as a part of the request that is under way now: a socket's messages come outside of any. */
export function sameRequest(): <T>(work: () => T) => T {
  const now = context.active();
  return (work) => context.with(now, work);
}

const addressKey = createContextKey('concord.address');

/** The address that the request under way comes from; undefined outside of any. */
export function callerAddress(): string | undefined {
  return context.active().getValue(addressKey) as string | undefined;
}

/** Runs `work` outside of any trace, without spans: what a service does many times a second on its own account. */
export function untraced<T>(work: () => T): T {
  return context.with(core.suppressTracing(ROOT_CONTEXT), work);
}

/**
 * Runs `work` inside an active span, which ends when the work does; a failure is recorded and thrown on.
 * Attributes hold names, counts and durations only, never what users sent.
 */
export function withSpan<T>(
  name: string,
  attributes: Attributes,
  work: (span: Span) => Promise<T>,
  kind: SpanKind = SpanKind.INTERNAL,
): Promise<T> {
  return trace.getTracer('concord').startActiveSpan(name, { attributes, kind }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      recordFailure(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Runs `work`, which settles at once, inside a span of a request that came to no call. */
export function withRefusalSpan(error: ConcordError, work: () => void): void {
  trace.getTracer('concord').startActiveSpan('a2a refused', { kind: SpanKind.SERVER }, (span) => {
    recordFailure(span, error);
    work();
    span.end();
  });
}

/** Marks the span as failed. Messages are left out: they may quote ids and values of users. */
export function recordFailure(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  if (!span.isRecording()) return;
  if (error instanceof ConcordError) {
    span.setAttribute('error.type', String(error.code));
    if (error.data.reason) span.setAttribute('concord.reason', error.data.reason);
    return;
  }
  const type = error instanceof Error ? error.name : typeof error;
  span.setAttribute('error.type', type);
  span.addEvent('exception', { 'exception.type': type, 'exception.stacktrace': frames(error) });
}

/** The stack without its first part, the message. */
function frames(error: unknown): string {
  if (!(error instanceof Error) || !error.stack) return '';
  const at = error.stack.indexOf(error.message);
  return at < 0 ? '' : error.stack.slice(at + error.message.length).trimStart();
}
