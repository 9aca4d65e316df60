import { TaskState } from '@a2a-js/sdk';
import { expect, test } from '@jest/globals';
import { contextOf, statusAt, taskOf } from './contexts.ts';
import { keptTasks } from './keptTasks.ts';

const { database, tasks } = keptTasks();
const ana = contextOf('ana');

test.each([
  ['applied', TaskState.TASK_STATE_COMPLETED],
  ['rejected', TaskState.TASK_STATE_REJECTED],
])('a task whose proposal was %s before the task says that it waits ends at once', async (status, state) => {
  const task = taskOf({ status: statusAt(TaskState.TASK_STATE_INPUT_REQUIRED, 1_000) });
  await database.run(
    'WRITE',
    `CREATE (:Task {tenant: 'north', id: $id})-[:MADE]->(:Update {tenant: 'north', id: $update, status: $status, sourceAgentId: 'ana',
       reviewedBy: 'editor', proposedAt: datetime()})`,
    { id: task.id, update: crypto.randomUUID(), status },
  );
  await tasks.taskStore.save(task, ana);
  const found = await tasks.taskStore.load(task.id, ana);
  expect(found?.status?.state).toBe(state);
  expect(found?.artifacts.map(({ name }) => name)).toEqual(['verdict']);
  expect(found?.history).toHaveLength(1);
});
