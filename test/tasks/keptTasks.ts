import { afterAll, beforeAll } from '@jest/globals';
import { migrate } from '../../src/graph/setup/migrations.ts';
import { Tasks } from '../../src/tasks/tasks.ts';
import { emptyGraph, testDatabase } from '../support/service.ts';

/** Tasks in a graph that is empty when the tests of a file begin. */
export function keptTasks() {
  const database = testDatabase();
  const onError = (error: unknown) => {
    throw error;
  };
  const tasks = new Tasks({ database, onError });
  beforeAll(async () => {
    await emptyGraph();
    await migrate(database);
  });
  afterAll(async () => {
    await tasks.close();
    await database.close();
  });
  return { database, tasks, onError };
}
