import { Artifact, TaskState, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { AgentEvent } from '@a2a-js/sdk/server';
import { expect, test } from '@jest/globals';
import type { DateTime } from 'neo4j-driver';
import { deltaOf, knownOf, nothingKnown, type TaskDraft } from '../../../src/tasks/store/draft.ts';
import { endingDraft } from '../../../src/tasks/store/endTask.ts';
import { messageOf, taskOf } from '../contexts.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const statusOf = (state: TaskState, timestamp?: string) => ({ state, timestamp, message: undefined });
const artifactOf = (artifactId: string, text: string) => Artifact.fromJSON({ artifactId, parts: [{ text }] });
const draftOf = (task: TaskDraft['task'], more: Partial<TaskDraft> = {}): TaskDraft => ({
  tenant: 'north',
  id: 't',
  owner: 'ana',
  task,
  known: nothingKnown(),
  passed: [],
  events: [],
  ...more,
});
const times = (of: unknown[] = []) => of.map((each) => (each as DateTime).toStandardDate().toISOString());
const said = { ...messageOf('one'), messageId: 'm' };
const task = {
  ...taskOf({ id: 't', history: [said, { ...messageOf('two'), messageId: 'm' }, messageOf('three')] }),
  artifacts: [artifactOf('a', 'x'), artifactOf('b', 'y')],
  status: statusOf(TaskState.TASK_STATE_WORKING, '2026-01-01T00:00:05.000Z'),
};

test('all of a new task is written, messages under one id told apart', () => {
  const { delta, known } = deltaOf(draftOf(task, { replica: 'r1' }), now);
  expect(delta).toMatchObject({ tenant: 'north', id: 't', owner: 'ana', replica: 'r1', created: { owner: 'ana' } });
  expect(delta.messages.map(({ key, text }) => [key, text])).toEqual([
    ['m', 'one'],
    ['m (2)', 'two'],
    [task.history[2]?.messageId, 'three'],
  ]);
  expect(delta.messages.map(({ offset }) => Number(offset))).toEqual([0, 1, 2]);
  expect(delta.artifacts.map(({ artifactId }) => artifactId)).toEqual(['a', 'b']);
  expect(delta.status).toMatchObject({ ended: false, resting: false, states: ['WORKING'] });
  expect(times(delta.status?.stateTimes)).toEqual(['2026-01-01T00:00:05.000Z']);
  expect(times([Object(delta.status?.properties).statusAt])).toEqual(['2026-01-01T00:00:05.000Z']);
  expect(known).toEqual(knownOf(task));
  expect(deltaOf(draftOf(task), now).delta.replica).toBeNull();
});

test('the events of a task are numbered in their order', () => {
  const events = [AgentEvent.task(task), AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ taskId: 't' }))];
  const { delta } = deltaOf(draftOf(task, { events }), now);
  expect(delta.events.map(({ offset, event }) => [Number(offset), event !== null])).toEqual([
    [0, false],
    [1, true],
  ]);
});

test('of a known task only what is new is written', () => {
  const known = knownOf(task);
  expect(deltaOf(draftOf(task, { known }), now).delta).toMatchObject({ status: null, messages: [], artifacts: [] });
  const grown = {
    ...task,
    history: [...task.history, messageOf('four')],
    artifacts: [artifactOf('a', 'x'), artifactOf('b', 'changed')],
  };
  const { delta, known: after } = deltaOf(draftOf(grown, { known }), now);
  expect(delta.messages.map(({ text, offset }) => [text, Number(offset)])).toEqual([['four', 0]]);
  expect(delta.artifacts.map(({ artifactId }) => artifactId)).toEqual(['b']);
  expect(after).toEqual(knownOf(grown));
});

test('a status is written anew where its state, its time, its message or the metadata is another', () => {
  const known = knownOf(task);
  for (const other of [
    { status: statusOf(TaskState.TASK_STATE_COMPLETED, task.status.timestamp) },
    { status: statusOf(TaskState.TASK_STATE_WORKING, '2026-01-01T00:00:06.000Z') },
    { status: { ...task.status, message: messageOf('why') } },
    { metadata: { a: 1 } },
  ])
    expect(deltaOf(draftOf({ ...task, ...other }, { known }), now).delta.status).not.toBeNull();
});

test('the states that a task went through are all written, and a status without a time is of now', () => {
  const at = (second: number) => now + 1_000 * second;
  const passed = [
    { state: 'SUBMITTED', at: at(1) },
    { state: 'INPUT_REQUIRED', at: at(2) },
  ];
  const asks = { ...task, status: statusOf(TaskState.TASK_STATE_INPUT_REQUIRED) };
  const { status } = deltaOf(draftOf(asks, { passed }), now).delta;
  expect(status).toMatchObject({ ended: false, resting: true, states: ['SUBMITTED', 'INPUT_REQUIRED'] });
  expect(times(status?.stateTimes)).toEqual(['2026-01-01T00:00:01.000Z', '2026-01-01T00:00:02.000Z']);
  const alone = deltaOf(draftOf(asks), now).delta.status;
  expect(times(alone?.stateTimes)).toEqual(['2026-01-01T00:00:00.000Z']);
  const done = { ...task, status: statusOf(TaskState.TASK_STATE_COMPLETED) };
  expect(deltaOf(draftOf(done), now).delta.status).toMatchObject({ ended: true, resting: true });
});

test('a task that Concord ends has a last word, in its status and its history, and artifacts beside its own', () => {
  const artifacts = [{ name: 'verdict', description: '', data: { a: 1 } }];
  const ending = { state: TaskState.TASK_STATE_FAILED, text: 'lost', artifacts };
  const { task: ended, known, events } = endingDraft({ tenant: 'north', owner: 'ana', task }, ending, now);
  expect(known).toEqual(knownOf(task));
  expect(events.map(({ kind }) => kind)).toEqual(['artifactUpdate', 'statusUpdate']);
  expect(ended.artifacts).toHaveLength(3);
  expect(ended.status).toMatchObject({ state: TaskState.TASK_STATE_FAILED, timestamp: '2026-01-01T00:00:00.000Z' });
  expect(ended.history).toHaveLength(4);
  expect(ended.history.at(-1)).toEqual(ended.status?.message);
  expect(JSON.stringify(ended.history.at(-1))).toContain('lost');
});
