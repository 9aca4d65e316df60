import { type StreamResponse, TaskState } from '@a2a-js/sdk';
import { expect, test } from '@jest/globals';
import type { DialectCore } from '../../../src/a2a/handler/dialect.ts';
import { StreamEvents } from '../../../src/dialects/kernel/events.ts';
import { kernel } from '../../../src/dialects/kernel/kernel.ts';
import { localPrincipal } from '../../../src/security/principal.ts';

const statusUpdate = (state: TaskState): StreamResponse => ({
  payload: {
    $case: 'statusUpdate',
    value: {
      taskId: 't',
      contextId: 'c',
      status: { state, message: undefined, timestamp: undefined },
      metadata: undefined,
    },
  },
});
const { TASK_STATE_WORKING: working, TASK_STATE_COMPLETED: completed } = TaskState;

test('a stream that ends before its task rests says once more how it stands, as its last event', () => {
  const events = new StreamEvents('t');
  expect(events.owed()).toEqual([]);
  const [told] = events.take(statusUpdate(working));
  expect(told).toMatchObject({ id: 't', final: false });
  expect(events.owed()).toEqual([{ ...told, final: true }]);
  expect(events.take(statusUpdate(completed))).toMatchObject([{ status: { state: 'completed' }, final: true }]);
  expect(events.owed()).toEqual([]);
});

test('a stream whose reader goes is ended where it comes from', async () => {
  let isEnded = false;
  async function* answers() {
    try {
      for (;;) yield statusUpdate(working);
    } finally {
      isEnded = true;
    }
  }
  const core = { handler: { resubscribe: answers } } as unknown as DialectCore;
  const method = kernel.methods(core).streaming.get('tasks/resubscribe');
  const stream = await method?.({ id: 't' }, { principal: localPrincipal, signal: new AbortController().signal });
  for await (const { result } of stream ?? []) {
    expect(result).toMatchObject({ id: 't', final: false });
    break;
  }
  expect(isEnded).toBe(true);
});
