import { EventEmitter, getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { ConcordError } from '../../src/base/errors.ts';
import { refuse } from '../../src/base/reasons.ts';
import { accountedStream } from '../../src/calls/accountedStream.ts';
import { drain } from '../../src/calls/drain.ts';
import { openStream, type StreamAccount, tellDrained } from '../../src/calls/streamAccount.ts';
import { CallerGone, type StreamEnd, streamDraining, streamEnd, streamRefused } from '../../src/calls/streamEnd.ts';
import { awaitReader, beginHeartbeat } from '../../src/calls/streamPace.ts';
import { createInstruments, type Instruments } from '../../src/telemetry/instruments.ts';
import type { Logger } from '../../src/telemetry/logger.ts';

async function* counting(to: number, failure?: Error) {
  for (let n = 1; n <= to; n++) yield n;
  if (failure) throw failure;
}

/** Reads a stream, and says what it had and how it ended for its account and for its reader. */
async function read(source: AsyncIterable<number>, options: { signal?: AbortSignal; pace?: () => Promise<void> } = {}) {
  const told: { sent: number; end?: StreamEnd } = { sent: 0 };
  const account: StreamAccount = {
    sent: () => {
      told.sent += 1;
    },
    ended: (end) => {
      told.end = end;
    },
  };
  const { signal = new AbortController().signal } = options;
  const cursor = { start: 'begin', of: (event: number) => `after ${event}` };
  const events: number[] = [];
  let thrown: unknown;
  try {
    for await (const event of accountedStream(source, { ...options, signal, account, cursor })) events.push(event);
  } catch (error) {
    thrown = error;
  }
  return { ...told, events, thrown };
}

test('a stream is accounted for by its events and its end', async () => {
  let paces = 0;
  const pace = async () => {
    paces += 1;
  };
  const whole = await read(counting(3), { pace });
  expect(whole).toEqual({ sent: 3, end: { reason: 'completed' }, events: [1, 2, 3], thrown: undefined });
  expect(paces).toBe(3);
});

test('what fails is told with the cursor to resume after, and a fault of its own only to the log', async () => {
  const refusal = refuse('slow-consumer', 'too slow');
  expect((await read(counting(2, refusal))).thrown).toMatchObject({
    message: 'too slow',
    data: { reason: 'slow-consumer', cursor: 'after 2' },
  });
  expect((await read(counting(0, refusal))).thrown).toMatchObject({ data: { cursor: 'begin' } });
  const bug = new Error('bug');
  const { thrown, end } = await read(counting(1, bug));
  expect(thrown).toMatchObject({ code: -32603, message: 'Internal error' });
  expect(end).toMatchObject({ reason: 'internal-error', fault: bug });
});

test('who is gone is told nothing, and who is cut off is told why, with what was sent', async () => {
  const cut = async (reason: Error) => {
    const controller = new AbortController();
    return read(counting(3), { signal: controller.signal, pace: async () => controller.abort(reason) });
  };
  expect(await cut(new CallerGone())).toEqual({
    sent: 1,
    end: { reason: 'caller-gone' },
    events: [1],
    thrown: undefined,
  });
  expect((await cut(streamDraining())).thrown).toMatchObject({
    data: { reason: 'draining', cursor: 'after 1' },
  });
});

test('a stream that is left while an event is on its way has not sent it', async () => {
  const told: unknown[] = [];
  const account: StreamAccount = { sent: () => told.push('sent'), ended: ({ reason }) => told.push(reason) };
  for await (const _ of accountedStream(counting(3), { signal: new AbortController().signal, account })) break;
  expect(told).toEqual(['caller-gone']);
});

test('an error that knows its cursor keeps it, and a stream without one has none', () => {
  const knowing = refuse('slow-consumer', 'x', { cursor: 7 });
  expect(streamEnd(knowing, 9).error).toMatchObject({ data: { cursor: 7 } });
  expect(streamEnd(refuse('slow-consumer', 'x'), 9).error).toMatchObject({ data: { cursor: 9 } });
  expect(streamEnd(refuse('slow-consumer', 'x'), undefined).error?.data).not.toHaveProperty('cursor');
  expect(streamEnd(new ConcordError(-32602, 'x', {}), undefined).reason).toBe('error');
  expect(streamRefused(new ConcordError(-32602, 'no more', { reason: 'bad-claims' }))).toMatchObject({
    code: -32012,
    message: 'no more',
    data: { reason: 'bad-claims' },
  });
});

test('a source is read to its end when nobody listens, and its failure is then told', async () => {
  const failed: unknown[] = [];
  const note = (error: unknown) => void failed.push(error);
  const all: number[] = [];
  for await (const each of drain(counting(3), note)) all.push(each);
  expect(all).toEqual([1, 2, 3]);
  const bug = new Error('bug');
  await expect(drain(counting(0, bug), note).next()).rejects.toBe(bug);
  expect(failed).toEqual([]);
  let read = 0;
  const slow = async function* () {
    for (; read < 5; read++) {
      await sleep(1);
      yield read;
    }
    throw bug;
  };
  for await (const _ of drain(slow(), note)) break;
  for (const end = Date.now() + 5_000; failed.length === 0 && Date.now() < end; ) await sleep(2);
  expect([read, failed]).toEqual([5, [bug]]);
});

const writable = (state: object = {}) =>
  Object.assign(new EventEmitter(), {
    destroyed: false,
    headersSent: true,
    writableEnded: false,
    writableNeedDrain: true,
    written: [] as string[],
    write(text: string) {
      this.written.push(text);
    },
    destroy() {
      this.destroyed = true;
    },
    ...state,
  });
const asResponse = (of: ReturnType<typeof writable>) => of as unknown as ServerResponse;

test('a reader is awaited until it has read, for two heartbeats, or until the call ends', async () => {
  const lasting = new AbortController().signal;
  await awaitReader(asResponse(writable({ writableNeedDrain: false })), lasting, 10_000);
  const read = writable();
  const waiting = awaitReader(asResponse(read), lasting, 10_000);
  read.emit('drain');
  await waiting;
  expect(read.listenerCount('drain')).toBe(0);
  await expect(awaitReader(asResponse(writable()), lasting, 5)).rejects.toMatchObject({
    message: 'The stream was not read for 10 ms; subscribe again with the last event id',
    data: { reason: 'slow-consumer' },
  });
  const over = new Error('over');
  await expect(awaitReader(asResponse(writable()), AbortSignal.abort(over), 10_000)).rejects.toBe(over);
  const controller = new AbortController();
  const aborted = awaitReader(asResponse(writable()), controller.signal, 10_000);
  controller.abort(over);
  await expect(aborted).rejects.toBe(over);
});

test('who waits for a reader leaves nothing on the signal', async () => {
  const { signal } = new AbortController();
  const read = writable();
  const waiting = awaitReader(asResponse(read), signal, 10_000);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  read.emit('drain');
  await waiting;
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('who does not read the end is cut off with the second heartbeat behind it', () => {
  jest.useFakeTimers();
  try {
    const response = writable({ writableEnded: true });
    beginHeartbeat(asResponse(response), 1_000);
    jest.advanceTimersByTime(1_999);
    expect(response.destroyed).toBe(false);
    jest.advanceTimersByTime(1);
    expect(response.destroyed).toBe(true);
    response.emit('close');
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});

test('a heartbeat is written to an open stream that reads, and to no other', async () => {
  const streams = {
    open: writable({ writableNeedDrain: false }),
    full: writable(),
    unbegun: writable({ writableNeedDrain: false, headersSent: false }),
  };
  for (const each of Object.values(streams)) beginHeartbeat(asResponse(each), 5);
  for (const end = Date.now() + 5_000; streams.open.written.length < 2 && Date.now() < end; ) await sleep(2);
  expect(streams.open.written.slice(0, 2)).toEqual([': heartbeat\n', ': heartbeat\n']);
  expect([streams.full.written, streams.unbegun.written]).toEqual([[], []]);
  for (const each of Object.values(streams)) expect(each.destroyed).toBe(false);
  // Who doesn't read the end is cut off.
  for (const each of Object.values(streams)) each.writableEnded = true;
  const before = streams.open.written.length;
  for (const end = Date.now() + 5_000; !streams.open.destroyed && Date.now() < end; ) await sleep(2);
  expect([streams.open.destroyed, streams.open.written.length]).toEqual([true, before]);
  for (const each of Object.values(streams)) each.emit('close');
});

test('an account counts the stream while it is open, and says in the log how it ended', () => {
  const counted: unknown[] = [];
  const counter = (name: string) => ({ add: (count: number, labels?: object) => counted.push([name, count, labels]) });
  const names = ['openSubscriptions', 'eventsSent', 'closedSubscriptions'];
  const instruments = Object.fromEntries(names.map((name) => [name, counter(name)])) as unknown as Instruments;
  const logged: [string, object, string][] = [];
  const logger = {
    info: (entry: object, text: string) => logged.push(['info', entry, text]),
    error: (entry: object, text: string) => logged.push(['error', entry, text]),
  } as unknown as Logger;
  const told: unknown[] = [];
  const account = openStream('m', instruments, logger, (...end) => told.push(end));
  account.sent();
  account.sent();
  account.ended({ reason: 'completed' });
  expect(counted).toEqual([
    ['openSubscriptions', 1, undefined],
    ['eventsSent', 1, undefined],
    ['eventsSent', 1, undefined],
    ['openSubscriptions', -1, undefined],
    ['closedSubscriptions', 1, { reason: 'completed' }],
  ]);
  const entry = { method: 'm', closeReason: 'completed', events: 2, ms: expect.any(Number) };
  expect(logged).toEqual([['info', entry, 'stream ended']]);
  expect(told).toEqual([[2, 'completed']]);
  const bug = new Error('bug');
  openStream('m', instruments, logger).ended({ reason: 'internal-error', fault: bug });
  expect(logged[1]).toEqual(['error', expect.objectContaining({ events: 0, err: bug }), 'stream failed']);
});

test('streams that a shutdown ends are one line together, and others one each', () => {
  const lines: unknown[] = [];
  const logger = { info: (entry: object, msg: string) => lines.push({ ...entry, msg }) } as unknown as Logger;
  const accounts = [1, 2, 3].map(() => openStream('knowledge/subscribe', createInstruments(), logger));
  const other = openStream('knowledge/subscribe', createInstruments(), logger);
  for (const each of accounts) each.ended({ reason: 'draining' });
  other.ended({ reason: 'caller-gone' });
  expect(lines).toEqual([expect.objectContaining({ closeReason: 'caller-gone', msg: 'stream ended' })]);
  tellDrained(logger);
  tellDrained(logger);
  expect(lines.slice(1)).toEqual([{ closeReason: 'draining', streams: 3, msg: 'streams ended' }]);
});
