import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { InFlight } from '../../src/calls/inFlight.ts';
import { CallerGone } from '../../src/calls/streamEnd.ts';

const draining = (code: number) =>
  expect.objectContaining({ code, data: expect.objectContaining({ reason: 'draining' }) });
const ofStream = draining(-32012);
const ofRequest = draining(-32603);

test('who goes away without an answer ends the call, and who has it does not', async () => {
  const inFlight = new InFlight();
  const [gone, answered] = [inFlight.enter(), inFlight.enter()];
  gone.leave({ answered: false });
  answered.leave({ answered: true });
  await Promise.all([gone.closed, answered.closed]);
  expect(gone.signal.reason).toBeInstanceOf(CallerGone);
  expect(answered.signal.aborted).toBe(false);
});

test('a response that closes ends its call, and one that is closed already too', async () => {
  const inFlight = new InFlight();
  const response = Object.assign(new EventEmitter(), { destroyed: false, writableFinished: false });
  const [open, late] = [response, { ...response, destroyed: true }].map((each) =>
    inFlight.open(each as unknown as ServerResponse),
  );
  expect([open?.signal.aborted, late?.signal.aborted]).toEqual([false, true]);
  response.writableFinished = true;
  response.emit('close');
  await Promise.all([open?.closed, late?.closed]);
  expect(open?.signal.aborted).toBe(false);
});

test('a drain ends the streams at once, waits for the rest, and is over with the last', async () => {
  const inFlight = new InFlight();
  const [stream, request] = [inFlight.enter(), inFlight.enter()];
  stream.stream();
  expect([inFlight.draining, stream.signal.aborted]).toEqual([false, false]);
  const done = inFlight.drain(60_000);
  expect(inFlight.draining).toBe(true);
  expect(stream.signal.reason).toEqual(ofStream);
  expect(request.signal.aborted).toBe(false);
  // What becomes a stream now ends at once.
  request.stream();
  expect(request.signal.reason).toEqual(ofStream);
  stream.leave({ answered: true });
  request.leave({ answered: true });
  await done;
  expect(inFlight.drain(60_000)).toBe(done);
});

test('a drain that has waited long enough ends what is left', async () => {
  const inFlight = new InFlight();
  const [request, other] = [inFlight.enter(), inFlight.enter()];
  other.leave({ answered: true });
  await inFlight.drain(1);
  expect(request.signal.reason).toEqual(ofRequest);
  expect(other.signal.aborted).toBe(false);
});
