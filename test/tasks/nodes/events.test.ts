import { TaskArtifactUpdateEvent, TaskState, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { AgentEvent } from '@a2a-js/sdk/server';
import { expect, test } from '@jest/globals';
import { eventOf, eventText, shows } from '../../../src/tasks/nodes/events.ts';
import { isEnded, isResting, stateName, stateOf } from '../../../src/tasks/nodes/taskState.ts';
import { taskOf } from '../contexts.ts';

const at = '2026-01-01T00:00:01.000Z';
const statusEvent = (state: string, timestamp = at, messageId?: string) =>
  AgentEvent.statusUpdate(
    TaskStatusUpdateEvent.fromJSON({
      taskId: 't',
      contextId: 'c',
      status: { state, timestamp, ...(messageId && { message: { messageId, role: 'ROLE_AGENT', parts: [] } }) },
    }),
  );
const artifactEvent = (artifactId: string, ...texts: string[]) =>
  AgentEvent.artifactUpdate(
    TaskArtifactUpdateEvent.fromJSON({
      taskId: 't',
      contextId: 'c',
      artifact: { artifactId, parts: texts.map((text) => ({ text })) },
    }),
  );

test('an event is the same again once it was kept as text, and a whole task is kept as none', () => {
  for (const event of [statusEvent('TASK_STATE_WORKING', at, 'm'), artifactEvent('a', 'x')])
    expect(eventOf(eventText(event) ?? '')).toEqual(event);
  expect(eventText(AgentEvent.task(taskOf({ id: 't' })))).toBeNull();
});

test('a task shows a status event whose state, time and message it has', () => {
  const shown = statusEvent('TASK_STATE_WORKING', at, 'm');
  if (shown.kind !== 'statusUpdate') throw new Error('No status');
  const task = { ...taskOf({ id: 't' }), status: shown.data.status };
  expect(shows(task, shown)).toBe(true);
  expect(shows(task, statusEvent('TASK_STATE_COMPLETED', at, 'm'))).toBe(false);
  expect(shows(task, statusEvent('TASK_STATE_WORKING', '2026-01-01T00:00:02.000Z', 'm'))).toBe(false);
  expect(shows(task, statusEvent('TASK_STATE_WORKING', at, 'n'))).toBe(false);
  expect(shows(task, statusEvent('TASK_STATE_WORKING'))).toBe(false);
});

test('a task shows an artifact event whose last part its artifact ends with', () => {
  const whole = artifactEvent('a', 'x', 'y');
  if (whole.kind !== 'artifactUpdate' || !whole.data.artifact) throw new Error('No artifact');
  const task = { ...taskOf({ id: 't' }), artifacts: [whole.data.artifact] };
  const shown = [artifactEvent('a', 'y'), artifactEvent('a', 'x'), artifactEvent('b', 'y')].map((each) =>
    shows(task, each),
  );
  expect(shown).toEqual([true, false, false]);
});

test('a state has the name that stands on its node, and rests where it has ended or asks', () => {
  const named = (state: TaskState) => stateOf(stateName(state)) === state;
  expect([TaskState.TASK_STATE_WORKING, TaskState.TASK_STATE_INPUT_REQUIRED].every(named)).toBe(true);
  expect(stateName(TaskState.TASK_STATE_INPUT_REQUIRED)).toBe('INPUT_REQUIRED');
  const all = ['SUBMITTED', 'WORKING', 'INPUT_REQUIRED', 'COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'];
  expect(all.filter(isEnded)).toEqual(all.slice(3));
  expect(all.filter(isResting)).toEqual(all.slice(2));
});
