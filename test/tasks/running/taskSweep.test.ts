import { randomUUID } from 'node:crypto';
import { Artifact, TaskPushNotificationConfig, TaskState } from '@a2a-js/sdk';
import { expect, test } from '@jest/globals';
import pLimit from 'p-limit';
import { taskSweep } from '../../../src/tasks/running/taskSweep.ts';
import { contextOf, messageOf, statusAt, taskOf } from '../contexts.ts';
import { keptTasks } from '../keptTasks.ts';

const hourMs = 3_600_000;
const now = Date.parse('2026-05-01T00:00:00Z');
const { database, tasks, onError } = keptTasks();
const ana = contextOf('ana');

const sweep = () => taskSweep(database, { keptMs: 2 * hourMs, now: () => now, onError }).sweep();

/** A task with messages, an artifact and a receiver, that has had its state for so many minutes. */
async function keep(minutes: number, state = TaskState.TASK_STATE_COMPLETED, messages = 2): Promise<string> {
  const task = taskOf({
    status: statusAt(state, now - minutes * 60_000),
    history: Array.from({ length: messages }, (_, index) => messageOf(String(index))),
    artifacts: [Artifact.fromJSON({ artifactId: randomUUID(), parts: [{ text: 'made' }] })],
    metadata: { from: 'a test' },
  });
  await tasks.taskStore.save(task, ana);
  await tasks.pushStore.save(task.id, ana, TaskPushNotificationConfig.fromJSON({ url: 'https://example.org' }));
  return task.id;
}

/** What there is of a task, by label. */
async function left(id: string): Promise<Record<string, number>> {
  const rows = await database.run<{ label: string; count: number }>(
    'READ',
    `MATCH (n) WHERE n:Task AND n.id = $id OR (n:Message OR n:Artifact OR n:PushConfig) AND n.taskId = $id
     RETURN labels(n)[0] AS label, count(*) AS count`,
    { id },
  );
  return Object.fromEntries(rows.map(({ label, count }) => [label, count]));
}

const whole = { Task: 1, Message: 2, Artifact: 1, PushConfig: 1 };

test('a task that ended long enough ago is removed with all that was said and made in it, and no other', async () => {
  const { TASK_STATE_WORKING, TASK_STATE_INPUT_REQUIRED, TASK_STATE_CANCELED } = TaskState;
  const due = [await keep(121), await keep(500, TASK_STATE_CANCELED)];
  const others = [await keep(119), await keep(121, TASK_STATE_INPUT_REQUIRED), await keep(121, TASK_STATE_WORKING)];
  await sweep();
  for (const id of due) expect(await left(id)).toEqual({});
  for (const id of others) expect(await left(id)).toEqual(whole);
  for (const id of due) expect(await tasks.taskStore.load(id, ana)).toBeUndefined();
  await sweep();
  for (const id of others) expect(await left(id)).toEqual(whole);
});

test('of a task that made an update the node stays, so that provenance leads to who asked', async () => {
  const id = await keep(121);
  await database.run(
    'WRITE',
    'MATCH (t:Task {id: $id}) CREATE (t)-[:MADE]->(:Update {tenant: t.tenant, id: $update})',
    { id, update: randomUUID() },
  );
  await sweep();
  await sweep();
  expect(await left(id)).toEqual({ Task: 1 });
  expect(await tasks.taskStore.load(id, ana)).toBeUndefined();
  const rows = await database.run(
    'READ',
    'MATCH (a:Agent)-[:ASKED]->(t:Task {id: $id})-[:MADE]->(:Update) RETURN a.id AS agent, keys(t) AS keys',
    { id },
  );
  expect(rows).toEqual([{ agent: 'ana', keys: expect.not.arrayContaining(['statusMessage', 'metadata']) }]);
});

test('more than a transaction takes is removed, also by two replicas at once', async () => {
  // No more at once than there are connections.
  const few = pLimit(20);
  const many = await Promise.all([
    ...Array.from({ length: 130 }, () => few(() => keep(121))),
    keep(121, TaskState.TASK_STATE_FAILED, 2_500),
  ]);
  await Promise.all([sweep(), sweep(), sweep()]);
  for (const id of many) expect(await left(id)).toEqual({});
});
