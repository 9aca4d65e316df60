import { beforeEach, expect, test } from '@jest/globals';
import type { Notification } from '../../src/push/headers.ts';
import { type Attempt, type DeliveryOutcome, ReceiverQueue } from '../../src/push/receiverQueue.ts';
import { gate } from '../support/gate.ts';

const patience = { attempts: 3, baseMs: 100, failures: 2, pauseMs: 1_000, maxWaiting: 3 };
const passing: Attempt = { kind: 'failed', reason: 'busy', passing: true };
const lasting: Attempt = { kind: 'failed', reason: 'gone', passing: false };
const delivered: Attempt = { kind: 'delivered' };

let now: number;
let waits: number[];
let outcomes: (DeliveryOutcome | string)[];
let attempts: number;
let queue: ReceiverQueue;
let closing: AbortController;

beforeEach(() => {
  [now, waits, outcomes, attempts] = [0, [], [], 0];
  closing = new AbortController();
  queue = new ReceiverQueue({
    patience,
    now: () => now,
    pause: async (ms) => void waits.push(ms),
    closing: closing.signal,
    settled: (_, outcome, reason) => outcomes.push(reason ? `${outcome}: ${reason}` : outcome),
  });
});

/** Notifies with these attempts in turns, the last of them for ever. */
async function notify(...found: Attempt[]): Promise<number> {
  let made = 0;
  const attempt = async () => found[Math.min(made++, found.length - 1)] ?? delivered;
  queue.add({ notification: {} as Notification, attempt });
  await queue.done();
  attempts = made;
  return attempts;
}

test('what fails for a passing reason is tried again, each time later, as often as patience says', async () => {
  expect(await notify(passing)).toBe(3);
  expect(outcomes).toEqual(['failed: busy']);
  const [first = 0, second = 0] = waits;
  expect(waits).toHaveLength(2);
  expect(first).toBeGreaterThanOrEqual(50);
  expect(first).toBeLessThanOrEqual(100);
  expect(second).toBeGreaterThanOrEqual(100);
  expect(second).toBeLessThanOrEqual(200);
  expect(await notify(passing, delivered)).toBe(2);
  expect(outcomes).toEqual(['failed: busy', 'sent']);
});

test('what fails for good is tried once, and so is anything at a shutdown', async () => {
  expect(await notify(lasting)).toBe(1);
  expect(await notify(delivered)).toBe(1);
  closing.abort();
  expect(await notify(passing)).toBe(1);
  expect(outcomes).toEqual(['failed: gone', 'sent', 'failed: busy']);
});

test('a receiver that fails several in a row is paused until its time is over, and then has one trial', async () => {
  await notify(lasting);
  expect(queue.isForgettable).toBe(true);
  await notify(lasting);
  expect(queue.isForgettable).toBe(false);
  now = 999;
  expect(await notify(delivered)).toBe(0);
  expect(queue.isForgettable).toBe(false);
  now = 1_000;
  expect(queue.isForgettable).toBe(true);
  // Its trial fails: it is paused anew.
  expect(await notify(passing)).toBe(1);
  now = 1_999;
  expect(await notify(delivered)).toBe(0);
  now = 2_000;
  expect(await notify(delivered)).toBe(1);
  // It has its patience back.
  expect(await notify(passing)).toBe(3);
  expect(await notify(delivered)).toBe(1);
  expect(outcomes).toEqual([
    'failed: gone',
    'failed: gone',
    'paused',
    'failed: busy',
    'paused',
    'sent',
    'failed: busy',
    'sent',
  ]);
});

test('a success between failures counts them anew', async () => {
  for (const each of [lasting, delivered, lasting, delivered]) await notify(each);
  expect(outcomes).toEqual(['failed: gone', 'sent', 'failed: gone', 'sent']);
});

test('what comes while too many wait is dropped, and the others go in their order', async () => {
  const order: number[] = [];
  const held = gate();
  const add = (number: number) =>
    queue.add({
      notification: {} as Notification,
      attempt: async () => {
        await held.opened;
        order.push(number);
        return delivered;
      },
    });
  // The first is under way and waits no more.
  for (const number of [0, 1, 2, 3, 4]) add(number);
  expect(outcomes).toEqual(['overflow']);
  held.open();
  await queue.done();
  expect(order).toEqual([0, 1, 2, 3]);
});
