import { TaskState } from '@a2a-js/sdk';
import { expect, test } from '@jest/globals';
import { contextOf, statusAt, taskOf } from '../contexts.ts';
import { keptTasks } from '../keptTasks.ts';

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

/** Saves a waiting task of ana's for which these updates were made. */
async function waiting(...updates: { status: string; sourceAgentId: string; reviewedBy: string | null }[]) {
  const task = taskOf({ status: statusAt(TaskState.TASK_STATE_INPUT_REQUIRED, 1_000) });
  await database.run(
    'WRITE',
    `CREATE (t:Task {tenant: 'north', id: $id})
     WITH t UNWIND $updates AS each CREATE (t)-[:MADE]->(u:Update {tenant: 'north', id: randomUUID(), proposedAt: datetime()}) SET u += each`,
    { id: task.id, updates },
  );
  await tasks.taskStore.save(task, ana);
  const found = await tasks.taskStore.load(task.id, ana);
  return { state: found?.status?.state, verdicts: found?.artifacts.length };
}

const applied = (sourceAgentId: string) => ({ status: 'applied', sourceAgentId, reviewedBy: 'editor' });
const rejected = (sourceAgentId: string) => ({ status: 'rejected', sourceAgentId, reviewedBy: 'editor' });
const pending = (sourceAgentId: string) => ({ status: 'pending', sourceAgentId, reviewedBy: null });
const goesOn = { state: TaskState.TASK_STATE_INPUT_REQUIRED, verdicts: 0 };

test('what another agent proposed for a task is none of its proposals', async () => {
  expect(await waiting(applied('bob'))).toEqual(goesOn);
  expect(await waiting(rejected('ana'), applied('bob'))).toEqual({
    state: TaskState.TASK_STATE_REJECTED,
    verdicts: 1,
  });
  expect(await waiting(applied('ana'), pending('bob'))).toEqual({
    state: TaskState.TASK_STATE_COMPLETED,
    verdicts: 1,
  });
});

test('a task waits while one of its proposals does, and one that was applied outweighs the others', async () => {
  expect(await waiting(applied('ana'), pending('ana'))).toEqual(goesOn);
  expect(await waiting({ ...applied('ana'), reviewedBy: null })).toEqual(goesOn);
  expect(await waiting(rejected('ana'), applied('ana'), rejected('ana'))).toEqual({
    state: TaskState.TASK_STATE_COMPLETED,
    verdicts: 3,
  });
});
