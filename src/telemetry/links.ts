import { type Link, ROOT_CONTEXT, type SpanContext, SpanKind, TraceFlags, trace } from '@opentelemetry/api';

/** The span that something was made in, as it is kept with it: ids of W3C Trace Context, in hex. */
export interface MadeIn {
  traceId: string;
  spanId: string;
}

/** The span that is active now; undefined where it isn't sampled, and nothing is to be found of it later. */
export function sampledSpan(): MadeIn | undefined {
  const { traceId, spanId, traceFlags = 0 } = trace.getActiveSpan()?.spanContext() ?? {};
  if (traceId === undefined || spanId === undefined || (traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  return { traceId, spanId };
}

/**
 * Begins the span in which changes are sent to one subscriber. It belongs to the trace of the first that was made in a
 * sampled span, so it is sampled where that was, and has a link to each span that they were made in.
 * @param made spans, as often as there are changes of them
 * @param events how many are sent
 * @returns what ends it; where none was made in a sampled span there is none
 */
export function beginDelivery(made: readonly MadeIn[], events: number): () => void {
  const contexts = [...new Map(made.map((each) => [each.spanId, contextOf(each)])).values()];
  const [first] = contexts;
  if (first === undefined) return () => {};
  const links: Link[] = contexts.map((context) => ({ context }));
  const attributes = {
    'messaging.system': 'concord',
    'messaging.operation.type': 'send',
    'messaging.batch.message_count': events,
  };
  const parent = trace.setSpanContext(ROOT_CONTEXT, first);
  const span = trace
    .getTracer('concord')
    .startSpan('deliver changes', { kind: SpanKind.PRODUCER, attributes, links }, parent);
  return () => {
    if (span.isRecording()) span.end();
  };
}

function contextOf({ traceId, spanId }: MadeIn): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}
