import { expect, test } from '@jest/globals';
import { Batches } from '../../src/base/batches.ts';
import { refuse } from '../../src/base/reasons.ts';
import { deliver } from '../../src/calls/accountedStream.ts';
import type { StreamAccount } from '../../src/calls/streamAccount.ts';
import { CallerGone, type StreamEnd, streamDraining } from '../../src/calls/streamEnd.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

interface Told {
  /** The lengths of what was written, in order, and of what was accounted for. */
  written: number[];
  sent: (number | undefined)[];
  events: number[];
  ends: StreamEnd[];
  stops: number;
  thrown?: unknown;
}

/** Delivers batches, the last of which may be a failure, and tells what became of them. */
async function delivered(
  batches: (number[] | Error)[],
  { signal = new AbortController().signal, pace }: { signal?: AbortSignal; pace?: (told: Told) => Promise<void> } = {},
): Promise<Told> {
  const told: Told = { written: [], sent: [], events: [], ends: [], stops: 0 };
  const account: StreamAccount = { sent: (events) => told.sent.push(events), ended: (end) => told.ends.push(end) };
  const next = async () => {
    const batch = batches.shift();
    if (batch instanceof Error) throw batch;
    return batch;
  };
  const source = new Batches(next, () => {
    told.stops += 1;
  });
  const write = (events: readonly number[]) => {
    told.written.push(events.length);
    told.events.push(...events);
  };
  const cursor = { start: 'begin', of: (event: number) => `after ${event}` };
  const paced = pace && { pace: () => pace(told) };
  try {
    await deliver(source, { signal, account, cursor, write, ...paced });
  } catch (error) {
    told.thrown = error;
  }
  return told;
}

test('a long batch is written in parts of 32, each paced and accounted for, and a short one at once', async () => {
  let paces = 0;
  const pace = async () => {
    paces += 1;
  };
  const whole = await delivered([upTo(70), [71], [], upTo(32)], { pace });
  expect(whole).toMatchObject({ written: [32, 32, 6, 1, 32], sent: [32, 32, 6, 1, 32], stops: 1 });
  expect(whole.events).toEqual([...upTo(71), ...upTo(32)]);
  expect([whole.ends, whole.thrown, paces]).toEqual([[{ reason: 'completed' }], undefined, 5]);
});

test('what is written waits until the reader has read what was written before', async () => {
  const waits: number[] = [];
  const pace = async ({ written }: Told) => {
    await new Promise((resolve) => setImmediate(resolve));
    waits.push(written.length);
  };
  await delivered([upTo(64), [65]], { pace });
  expect(waits).toEqual([1, 2, 3]);
});

test('a source that fails is told with the cursor of what was written last, and is stopped', async () => {
  const failed = await delivered([upTo(33), refuse('slow-consumer', 'too slow')]);
  expect(failed.thrown).toMatchObject({ data: { reason: 'slow-consumer', cursor: 'after 33' } });
  expect(failed).toMatchObject({ sent: [32, 1], ends: [{ reason: 'slow-consumer' }], stops: 1 });
  const unbegun = await delivered([[], refuse('slow-consumer', 'too slow')]);
  expect(unbegun.thrown).toMatchObject({ data: { cursor: 'begin' } });
  expect(unbegun.sent).toEqual([]);
});

test('a signal ends it between two parts of a batch: who is gone hears nothing, others where to resume', async () => {
  const cut = (reason: Error) => {
    const controller = new AbortController();
    return delivered([upTo(70)], { signal: controller.signal, pace: async () => controller.abort(reason) });
  };
  const gone = await cut(new CallerGone());
  expect(gone).toMatchObject({ written: [32], ends: [{ reason: 'caller-gone' }], stops: 1 });
  expect(gone.thrown).toBeUndefined();
  expect((await cut(streamDraining())).thrown).toMatchObject({ data: { reason: 'draining', cursor: 'after 32' } });
});

test('a signal ends it also while the source is stuck', async () => {
  const controller = new AbortController();
  const ends: StreamEnd[] = [];
  let stops = 0;
  const stuck = new Batches<number>(
    () => new Promise(() => {}),
    () => {
      stops += 1;
    },
  );
  const account: StreamAccount = { sent: () => {}, ended: (end) => ends.push(end) };
  const over = deliver(stuck, { signal: controller.signal, account, write: () => {} });
  controller.abort(new CallerGone());
  await over;
  expect([ends, stops]).toEqual([[{ reason: 'caller-gone' }], 1]);
});
