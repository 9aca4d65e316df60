import { TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '../../src/graph/migrations.ts';
import { createTasks } from '../../src/tasks/tasks.ts';
import { emptyGraph, testDatabase } from '../support/service.ts';
import { contextOf, statusAt, taskOf } from './contexts.ts';

const database = testDatabase();
const tasks = createTasks({
  database,
  onError(error) {
    throw error;
  },
});
const ana = contextOf('ana');

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
});
afterAll(async () => {
  await tasks.close();
  await database.close();
});

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
