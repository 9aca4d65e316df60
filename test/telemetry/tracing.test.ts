import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { tracing } from '@opentelemetry/sdk-node';
import { ConcordError, ErrorCode } from '../../src/base/errors.ts';
import { startTracing, type Tracing, traceId, withSpan } from '../../src/telemetry/tracing.ts';
import { call, json, startTestService } from '../a2a/testService.ts';

let running: Tracing | undefined;
afterEach(() => running?.close());

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const headers = {
  'Content-Type': 'application/json',
  traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
};

function startWithMemory() {
  const exporter = new tracing.InMemorySpanExporter();
  const processor = new tracing.SimpleSpanProcessor(exporter);
  running = startTracing({ spanProcessors: [processor] });
  return async () => {
    await processor.forceFlush();
    return exporter.getFinishedSpans();
  };
}

test('without an exporter a span has a trace id, which holds over async calls', async () => {
  running = startTracing({ environment: {} });
  expect(traceId()).toBeUndefined();
  await withSpan('outer', {}, async () => {
    const outer = traceId();
    expect(outer).toMatch(/^[0-9a-f]{32}$/);
    await sleep(1);
    await withSpan('inner', {}, async (span) => {
      expect(traceId()).toBe(outer);
      expect(span.isRecording()).toBe(false);
    });
  });
});

test('tracing can be closed and started again', async () => {
  running = startTracing({ environment: {} });
  await running.close();
  const finished = startWithMemory();
  await withSpan('again', {}, async () => {});
  expect(await finished()).toHaveLength(1);
});

test('a failure is recorded by its type and place, without its message, and thrown on', async () => {
  const finished = startWithMemory();
  const failure = withSpan('work', { count: 2 }, async () => {
    throw new TypeError('token hunter2');
  });
  await expect(failure).rejects.toThrow('hunter2');
  const [span] = await finished();
  expect(span).toMatchObject({
    name: 'work',
    status: { code: 2 },
    attributes: { count: 2, 'error.type': 'TypeError' },
  });
  expect(span?.events[0]?.attributes?.['exception.stacktrace']).toContain('tracing.test');
  expect(JSON.stringify([span?.attributes, span?.events, span?.status])).not.toContain('hunter2');
});

test('an error for the caller is recorded by its code and reason', async () => {
  const finished = startWithMemory();
  const error = new ConcordError(ErrorCode.KnowledgeUpdate, 'conflict on hunter2', {
    reason: 'revision-conflict',
  });
  await expect(withSpan('work', {}, () => Promise.reject(error))).rejects.toBe(error);
  expect((await finished())[0]?.attributes).toEqual({
    'error.type': '-32011',
    'concord.reason': 'revision-conflict',
  });
});

test("a request continues its caller's trace, in the method, the log and the spans", async () => {
  const finished = startWithMemory();
  const service = await startTestService({
    unary: { whichTrace: async (_params, given) => ({ call: given.traceId, active: traceId() }) },
  });
  try {
    const { result } = await json(service.post(call('whichTrace', { secret: 'hunter2' }), { headers }));
    expect(result).toEqual({ call: TRACE, active: TRACE });
    expect(service.log[0]).toMatchObject({ msg: 'call', traceId: TRACE });
    const [span, ...others] = await finished();
    expect(others).toEqual([]);
    expect(span).toMatchObject({
      name: 'a2a whichTrace',
      kind: 1,
      parentSpanContext: { spanId: 'b7ad6b7169203331' },
    });
    expect(JSON.stringify(span?.attributes)).not.toContain('hunter2');
  } finally {
    await service.close();
  }
});

test('an internal error is answered with the trace id that its log line has', async () => {
  running = startTracing({ environment: {} });
  const service = await startTestService({ unary: { fail: () => Promise.reject(new Error('inner')) } });
  try {
    const { error } = await json(service.post(call('fail')));
    expect(error.data.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(service.log[0]).toMatchObject({ level: 'error', traceId: error.data.traceId });
  } finally {
    await service.close();
  }
});

test('two requests at the same time keep their traces apart', async () => {
  running = startTracing({ environment: {} });
  const service = await startTestService({
    unary: {
      slow: async () => {
        await sleep(20);
        return { trace: traceId() };
      },
    },
  });
  try {
    const ids = await Promise.all([1, 2, 3].map(async () => (await json(service.post(call('slow')))).result.trace));
    expect(new Set(ids).size).toBe(3);
  } finally {
    await service.close();
  }
});
