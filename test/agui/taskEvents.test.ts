import { type Message, Part, type StreamResponse, TaskState } from '@a2a-js/sdk';
import type { Event } from '@ag-ui/core';
import { expect, test } from '@jest/globals';
import { TaskEvents } from '../../src/agui/taskEvents.ts';

const said = (...parts: object[]) => ({ parts: parts.map((part) => Part.fromJSON(part)) }) as Message;
const task = (state: TaskState, message?: Message): StreamResponse =>
  ({
    payload: { $case: 'task', value: { id: 't', artifacts: [], status: { state, message } } },
  }) as unknown as StreamResponse;
const status = (state: TaskState, message?: Message): StreamResponse =>
  ({ payload: { $case: 'statusUpdate', value: { status: { state, message } } } }) as unknown as StreamResponse;
const artifact = (artifactId: string, parts: object[], more: { append?: boolean; lastChunk?: boolean } = {}) =>
  ({
    payload: {
      $case: 'artifactUpdate',
      value: {
        artifact: { artifactId, name: artifactId, description: '', parts: parts.map((part) => Part.fromJSON(part)) },
        ...{ append: false, lastChunk: false, ...more },
      },
    },
  }) as unknown as StreamResponse;

const { TASK_STATE_WORKING, TASK_STATE_COMPLETED, TASK_STATE_FAILED } = TaskState;

/** The events of a task that begins, and what becomes of it. */
function told(events: StreamResponse[], asked?: { tool: string; input: object }): Event[] {
  const tale = new TaskEvents({ agent: { id: 'a', name: 'A' }, runId: 'r', ...(asked && { asked }) });
  const all = [task(TASK_STATE_WORKING), ...events].flatMap((event) => tale.take(event));
  return [...all, ...tale.rest('thread')];
}

const texts = (events: Event[]) =>
  events.flatMap((event) => {
    if (event.type === 'TEXT_MESSAGE_START') return [`<${event.messageId}`];
    if (event.type === 'TEXT_MESSAGE_CONTENT') return [event.delta];
    return event.type === 'TEXT_MESSAGE_END' ? [`${event.messageId}>`] : [];
  });
const changes = (events: Event[]) => events.flatMap((event) => (event.type === 'STATE_DELTA' ? event.delta : []));

test('one message is open at a time: another artifact, or its end, closes the one before', () => {
  const events = told([
    artifact('x', [{ text: 'one' }]),
    artifact('x', [{ text: ' more' }], { append: true }),
    artifact('y', [{ text: 'two' }], { lastChunk: true }),
    artifact('x', [{ text: 'late' }], { append: true }),
    artifact('x', [{ text: 'anew' }]),
    status(TASK_STATE_COMPLETED),
  ]);
  expect(texts(events)).toEqual([
    ...['<r-1', 'one', ' more', 'r-1>', '<r-2', 'two', 'r-2>'],
    ...['<r-3', 'late', 'r-3>', '<r-4', 'anew', 'r-4>'],
  ]);
});

test('what is no text stands in the state: added to, or in the place of what was there', () => {
  const events = told([
    artifact('x', [{ data: { n: 1 } }]),
    artifact('x', [{ data: { n: 2 } }], { append: true }),
    artifact('y', [{ data: { n: 3 } }], { append: true }),
    artifact('x', [{ data: { n: 4 } }]),
  ]);
  const numbers = changes(events).flatMap((change) => {
    if (!change.path.startsWith('/concord/artifacts') || !('value' in change)) return [];
    const parts: { data: { n: number } }[] = change.value.parts ?? [change.value];
    return [[change.op, change.path, parts.map(({ data }) => data.n)]];
  });
  expect(numbers).toEqual([
    ['add', '/concord/artifacts/-', [1]],
    // What has come before is not told anew.
    ['add', '/concord/artifacts/0/parts/-', [2]],
    ['add', '/concord/artifacts/-', [3]],
    ['replace', '/concord/artifacts/0', [4]],
  ]);
});

test('where nothing was said as text, what was made is: as JSON up to 20,000 characters', () => {
  const one = told([artifact('x', [{ data: { n: 1 } }]), status(TASK_STATE_COMPLETED)]);
  expect(JSON.parse(texts(one)[1] ?? '')).toEqual({ n: 1 });
  const two = told([artifact('x', [{ data: { n: 1 } }, { data: { n: 2 } }]), status(TASK_STATE_COMPLETED)]);
  expect(JSON.parse(texts(two)[1] ?? '')).toEqual([{ n: 1 }, { n: 2 }]);
  const long = told([artifact('x', [{ data: { n: 'x'.repeat(20_000) } }]), status(TASK_STATE_COMPLETED)]);
  expect(texts(long)[1]).toBe('The answer is in the state: it is too long to be shown as a text');
  const word = told([status(TASK_STATE_COMPLETED, said({ text: 'Done' }))]);
  expect(texts(word)).toEqual(['<r-1', 'Done', 'r-1>']);
});

test('progress is what a task says before it has ended', () => {
  const events = told([
    status(TASK_STATE_WORKING, said({ text: 'half' })),
    status(TASK_STATE_COMPLETED, said({ text: 'all' })),
  ]);
  const progress = changes(events).filter(({ path }) => path === '/concord/progress');
  expect(progress).toEqual([{ op: 'replace', path: '/concord/progress', value: 'half' }]);
});

test('a task that fails ends the run by an error with its reason, behind the end of what was begun', () => {
  const error = { error: { data: { reason: 'agent-failed' } } };
  const events = told(
    [artifact('x', [{ text: 'half' }]), status(TASK_STATE_FAILED, said({ text: 'No' }, { data: error }))],
    {
      tool: 'delegate',
      input: { to: 'a' },
    },
  );
  expect(events.slice(-4)).toMatchObject([
    { type: 'TEXT_MESSAGE_END' },
    { type: 'TOOL_CALL_RESULT', messageId: 'r-result', toolCallId: 't', content: 'No' },
    { type: 'STEP_FINISHED', stepName: 'A' },
    { type: 'RUN_ERROR', message: 'No', code: 'agent-failed' },
  ]);
  expect(told([status(TASK_STATE_FAILED)]).at(-1)).toEqual({ type: 'RUN_ERROR', message: 'The task failed' });
});

test('a person is shown nothing that a terminal obeys or that turns the direction of a text', () => {
  const odd = 'a\u001b[31mb\u202ec';
  const events = told([
    artifact('x', [{ text: odd }]),
    artifact('y', [{ data: 1 }]),
    status(TASK_STATE_WORKING, said({ text: odd })),
    status(TASK_STATE_FAILED, said({ text: odd })),
  ]);
  expect(JSON.stringify(events)).not.toMatch(/\\u001b|\u202e/);
  expect(texts(events)).toEqual(['<r-1', 'a[31mbc', 'r-1>']);
  expect(changes(told([artifact(odd, [{ data: 1 }])]))).toContainEqual(
    expect.objectContaining({ path: '/concord/artifacts/-', value: expect.objectContaining({ name: 'a[31mbc' }) }),
  );
  expect(texts(told([artifact('x', [{ data: odd }])]))[1]).not.toMatch(/\u202e/);
});
