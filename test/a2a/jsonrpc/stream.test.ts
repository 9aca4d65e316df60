import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ConcordError, ErrorCode } from '../../../src/base/errors.ts';
import type { StreamEvent, StreamingMethod } from '../../../src/calls/call.ts';
import { call, eventually, json, startTestService, type TestService, type TestServiceOptions } from '../testService.ts';

let service: TestService;
afterEach(() => service.close());

const start = async (
  subscribe: StreamingMethod,
  settings: TestServiceOptions['settings'] = { HEARTBEAT_MS: '1000' },
) => {
  service = await startTestService({ streaming: { 'knowledge/subscribe': subscribe }, settings });
};
const subscribe = (params: unknown = {}, init?: RequestInit) =>
  service.post(call('knowledge/subscribe', params, 'sub-1'), init);

/** Counts up to `count`, then goes on as told. */
const counting =
  (count: number, then: (signal: AbortSignal) => Promise<void> = async () => {}): StreamingMethod =>
  async (_params, { signal }) =>
    (async function* (): AsyncGenerator<StreamEvent> {
      for (let n = 1; n <= count; n++) yield { id: String(n), result: { n } };
      await then(signal);
    })();

const forever = () => new Promise<void>(() => {});

async function read(response: Response): Promise<{ events: EventSourceMessage[]; comments: string[] }> {
  const events: EventSourceMessage[] = [];
  const comments: string[] = [];
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onComment: (comment) => comments.push(comment),
  });
  parser.feed(await response.text());
  return { events, comments };
}
const ending = () => service.log.find(({ closeReason }) => closeReason !== undefined);

test('a stream is server-sent events, each a response under the id of the request', async () => {
  await start(counting(3));
  const response = await subscribe();
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  const { events } = await read(response);
  expect(events.map(({ id }) => id)).toEqual(['1', '2', '3']);
  expect(JSON.parse(events[2]?.data ?? '')).toEqual({ jsonrpc: '2.0', id: 'sub-1', result: { n: 3 } });
  await eventually(() => ending() !== undefined);
  expect(ending()).toMatchObject({ closeReason: 'completed', events: 3 });
  const metrics = await service.metrics();
  expect(metrics).toContain('concord_events_sent_total 3');
  expect(metrics).toContain('concord_open_subscriptions 0');
  expect(metrics).toContain('concord_closed_subscriptions_total{reason="completed"} 1');
});

test('the headers arrive before the first event', async () => {
  await start(counting(0, forever));
  expect((await subscribe()).status).toBe(200);
  expect(await service.metrics()).toContain('concord_open_subscriptions 1');
});

test('the method is given the Last-Event-ID header to resume after', async () => {
  await start(async (_params, { lastEventId }) =>
    (async function* () {
      yield { id: 'x', result: { after: lastEventId } };
    })(),
  );
  const headers = { 'Content-Type': 'application/json', 'Last-Event-ID': '41' };
  const { events } = await read(await subscribe({}, { headers }));
  expect(JSON.parse(events[0]?.data ?? '').result).toEqual({ after: '41' });
});

test.each([
  [
    400,
    new ConcordError(ErrorCode.KnowledgeSubscription, 'The query has no subscription', {
      reason: 'validation',
    }),
  ],
  [501, new ConcordError(ErrorCode.KnowledgeSubscription, 'No SPARQL here', { reason: 'unsupported-language' })],
  [500, new Error('inner')],
])('a stream that cannot be established is answered with %i and an error', async (status, error) => {
  await start(() => Promise.reject(error));
  const response = await subscribe();
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toContain('application/json');
  const body = await json(response);
  expect(body.id).toBe('sub-1');
  expect(body.error.message).toBe(status === 500 ? 'Internal error' : error.message);
});

test('a stream needs an object for params and an id', async () => {
  await start(counting(1));
  const array = await subscribe([1]);
  expect([array.status, (await json(array)).error.code]).toEqual([400, -32602]);
  const noId = await service.post({ jsonrpc: '2.0', method: 'knowledge/subscribe' });
  expect([noId.status, (await json(noId)).error.code]).toEqual([400, -32600]);
});

test('a quiet stream carries heartbeats', async () => {
  await start(
    counting(1, () => sleep(180)),
    { HEARTBEAT_MS: '50' },
  );
  const { comments } = await read(await subscribe());
  expect(comments.length).toBeGreaterThanOrEqual(2);
  expect(comments[0]).toContain('heartbeat');
});

test('a stream that fails for a reason ends with that error and the cursor', async () => {
  await start(
    counting(2, async () => {
      throw new ConcordError(ErrorCode.KnowledgeSubscription, 'Too far behind', { reason: 'slow-consumer' });
    }),
  );
  const { events } = await read(await subscribe());
  expect(events).toHaveLength(3);
  expect(JSON.parse(events[2]?.data ?? '')).toEqual({
    jsonrpc: '2.0',
    id: 'sub-1',
    error: { code: -32012, message: 'Too far behind', data: { reason: 'slow-consumer', cursor: '2' } },
  });
  await eventually(() => ending() !== undefined);
  expect(ending()).toMatchObject({ closeReason: 'slow-consumer', events: 2 });
});

test('a stream that fails by a fault of our own ends with an error that tells nothing of it', async () => {
  await start(
    counting(0, async () => {
      throw new Error('password hunter2');
    }),
  );
  const { events } = await read(await subscribe());
  expect(events[0]?.data).toContain('-32603');
  expect(events[0]?.data).not.toContain('hunter2');
  await eventually(() => ending() !== undefined);
  expect(ending()).toMatchObject({ closeReason: 'internal-error', level: 'error' });
});

test('a caller that goes away aborts the signal and returns the iterator, even one that is stuck', async () => {
  let signal: AbortSignal | undefined;
  let returned = false;
  await start(async (_params, given) => {
    signal = given.signal;
    let n = 0;
    return {
      [Symbol.asyncIterator]: () => ({
        next: () =>
          n++ === 0 ? Promise.resolve({ done: false, value: { id: '1', result: {} } }) : new Promise(() => {}),
        return: async () => {
          returned = true;
          return { done: true, value: undefined };
        },
      }),
    };
  });
  const controller = new AbortController();
  const response = await subscribe({}, { signal: controller.signal });
  await response.body?.getReader().read();
  controller.abort();
  await eventually(() => returned && signal?.aborted === true);
  await eventually(() => ending() !== undefined);
  expect(ending()).toMatchObject({ closeReason: 'caller-gone', events: 1, level: 'info' });
  expect(await service.metrics()).toContain('concord_open_subscriptions 0');
});

test('a shutdown ends streams with an error that says to come back, and where', async () => {
  await start(counting(2, forever));
  const response = await subscribe();
  const reading = read(response);
  await eventually(async () => (await service.metrics()).includes('concord_events_sent_total 2'));
  await service.endpoint.close();
  const { events } = await reading;
  expect(JSON.parse(events[2]?.data ?? '').error).toMatchObject({
    code: -32012,
    data: { reason: 'draining', retryable: true, cursor: '2' },
  });
  // Told once for all.
  expect(ending()).toBeUndefined();
});

/** Subscribes over a socket and reads nothing until told to. */
function deafSubscriber() {
  const { port } = new URL(service.url);
  const body = JSON.stringify(call('knowledge/subscribe', {}));
  const socket = connect(Number(port), '127.0.0.1');
  socket.pause();
  socket.write(
    `POST /a2a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

/** Events of 64 kB each, as many as are asked for. */
function largeEvents() {
  const state = { asked: 0 };
  const method: StreamingMethod = async () =>
    (async function* () {
      while (state.asked < 1000) {
        state.asked += 1;
        yield { id: String(state.asked), result: { text: 'x'.repeat(65_536) } };
      }
    })();
  return { state, method };
}

test('a slow reader holds the stream back, and gets every event once it reads', async () => {
  const { state, method } = largeEvents();
  await start(method, { HEARTBEAT_MS: '10000' });
  const socket = deafSubscriber();
  await eventually(() => state.asked > 0);
  const heldFor = async (ms: number) => {
    const before = state.asked;
    await sleep(ms);
    return state.asked === before;
  };
  await eventually(() => heldFor(500));
  expect(state.asked).toBeLessThan(1000);
  let bytes = 0;
  socket.resume();
  socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  await eventually(() => ending() !== undefined);
  expect(ending()).toMatchObject({ closeReason: 'completed', events: 1000 });
  await eventually(() => bytes > 1000 * 65_536);
  socket.destroy();
});

test('a reader that reads nothing for two heartbeats is left', async () => {
  const { method } = largeEvents();
  await start(method, { HEARTBEAT_MS: '50' });
  const socket = deafSubscriber();
  await eventually(() => ending() !== undefined);
  expect(ending()).toMatchObject({ closeReason: 'slow-consumer' });
  await eventually(async () => (await service.metrics()).includes('concord_open_subscriptions 0'));
  socket.destroy();
});

test('a thousand waits of a stream leave no listeners behind', async () => {
  let listeners = 0;
  await start(async (_params, { signal }) => {
    const add = signal.addEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    return (async function* () {
      for (let n = 0; n < 1000; n++) {
        if (n % 100 === 0) await sleep(1);
        yield { id: String(n), result: {} };
      }
    })();
  });
  expect((await read(await subscribe())).events).toHaveLength(1000);
  expect(listeners).toBeLessThan(10);
});
