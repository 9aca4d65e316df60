import { TaskState, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { AgentEvent } from '@a2a-js/sdk/server';
import { expect, test } from '@jest/globals';
import { LiveTask, LiveTasks } from '../../../src/tasks/store/liveTasks.ts';
import { messageOf, statusAt, taskOf } from '../contexts.ts';

const key = { tenant: 'north', id: 't' };
const at = (second: number, state = TaskState.TASK_STATE_WORKING) => {
  const status = statusAt(state, 1_000 * second);
  const { state: said, timestamp } = status ?? {};
  const event = AgentEvent.statusUpdate(
    TaskStatusUpdateEvent.fromJSON({ taskId: 't', status: { state: said, timestamp } }),
  );
  return { task: taskOf({ id: 't', status }), event };
};

test('a task takes along the events that it shows, and leaves those that come after', () => {
  const live = new LiveTask(key);
  const [one, two, three] = [at(1), at(2), at(3)];
  for (const { event } of [one, two, three]) live.bus.publish(event);
  const draft = live.take(two.task, 'ann', 'r1');
  expect(draft).toMatchObject({ ...key, owner: 'ann', replica: 'r1', passed: [], events: [one.event, two.event] });
  expect(live.take(three.task, 'bob', 'r2')).toBe(draft);
  expect(draft).toMatchObject({ owner: 'ann', task: three.task, events: [one.event, two.event, three.event] });
  expect(live.take(three.task, 'ann', 'r1').events).toHaveLength(3);
});

test('a message is no event of its task, and what is known of the task goes into its draft', () => {
  const live = new LiveTask(key);
  live.known = { messages: new Set(['m']), artifacts: new Map() };
  const { task, event } = at(1);
  live.bus.publish(AgentEvent.message(messageOf('x')));
  live.bus.publish(event);
  expect(live.take(task, 'ann', 'r1')).toMatchObject({ events: [event], known: live.known });
});

test('a task rests where its draft does, and not before it has one', () => {
  const live = new LiveTask(key);
  expect(live.isResting).toBe(false);
  live.take(at(1).task, 'ann', 'r1');
  expect(live.isResting).toBe(false);
  live.take(at(2, TaskState.TASK_STATE_INPUT_REQUIRED).task, 'ann', 'r1');
  expect(live.isResting).toBe(true);
});

test('a task is one for its tenant and id until it is let go', () => {
  const tasks = new LiveTasks();
  const live = tasks.open(key);
  expect(tasks.open({ ...key })).toBe(live);
  expect(tasks.open({ ...key, tenant: 'south' })).not.toBe(live);
  expect([tasks.get(key), tasks.all().length]).toEqual([live, 2]);
  tasks.drop(live);
  expect([tasks.get(key), tasks.all().length]).toEqual([undefined, 1]);
});
