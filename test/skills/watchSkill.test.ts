import { expect, test } from '@jest/globals';
import type { ChangeEvent } from '../../src/knowledge/subscribe/subscribe.ts';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';
import { message, type TaskJson } from '../a2a/tasks.ts';
import { add, schemaOrg } from '../support/patches.ts';
import { call, startServiceOnGraph } from '../support/service.ts';
import { useService } from '../support/setUp.ts';
import { type TaskEventJson, taskStream } from '../tasks/taskStream.ts';
import { sendTask } from './tasks.ts';

const maxChanges = 105;
const service = useService({ TASK_TIMEOUT_MS: '1', TASK_WATCH_CHANGES: String(maxChanges) });

const version = { 'A2A-Version': '1.0' };
const named = (index: number) => add(`urn:watch:${index}`, `${schemaOrg}name`, `n${index}`);
const propose = (...mutations: object[]) => call<UpdateResult>(service.url, 'knowledge/update', { mutations });
const getTask = async (id: string) => (await call<TaskJson>(service.url, 'GetTask', { id }, version)).result;

const watch = (where: string, metadata: object = {}) => ({
  skill: 'watch',
  subscriptionQuery: `subscription { statementChanged${where} { op } }`,
  metadata,
});
const begin = (where: string) => taskStream(service.url, 'SendStreamingMessage', message(watch(where)));
const cursorOf = ({ message }: TaskJson['status']) => message?.parts[1]?.data?.cursor;
const changesOf = ({ artifacts = [] }: TaskJson) =>
  artifacts.flatMap(({ parts }) => parts.map(({ data }) => (data as ChangeEvent).statement.subject.id));

async function all(stream: AsyncGenerator<TaskEventJson>): Promise<TaskEventJson[]> {
  const events: TaskEventJson[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Reads on until the watch stands; gives the id of its task. */
async function standing(stream: AsyncGenerator<TaskEventJson>): Promise<string> {
  for (;;) {
    const { value } = await stream.next();
    const { taskId, status } = value?.statusUpdate ?? {};
    if (taskId && status && cursorOf(status) !== undefined) return taskId;
    if (!value) throw new Error('The stream has ended');
  }
}

test('watch reports each change that is asked for, beyond the time of other tasks, until it is cancelled', async () => {
  const stream = begin('(where: {subject: {in: ["urn:watch:1", "urn:watch:3"]}})');
  const id = await standing(stream);
  await propose(named(1), named(2));
  await propose(named(3));
  const seen: string[] = [];
  while (seen.length < 2) {
    const { value } = await stream.next();
    const parts = value?.artifactUpdate?.artifact.parts ?? [];
    seen.push(...parts.map(({ data }: { data?: unknown }) => (data as ChangeEvent).statement.subject.id));
  }
  expect(seen).toEqual(['urn:watch:1', 'urn:watch:3']);
  const running = await getTask(id);
  expect(running.status.state).toBe('TASK_STATE_WORKING');
  expect(running.artifacts).toHaveLength(1);

  await call(service.url, 'CancelTask', { id }, version);
  const rest = await all(stream);
  expect(rest.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_CANCELED');
  await propose(named(1), add('urn:watch:1', `${schemaOrg}name`, 'after the end'));
  const ended = await getTask(id);
  expect(ended.status.state).toBe('TASK_STATE_CANCELED');
  expect(changesOf(ended)).toEqual(['urn:watch:1', 'urn:watch:3']);
});

test('a watch that has reported its most changes completes with the cursor, and its task keeps the last of them', async () => {
  const stream = begin('');
  const id = await standing(stream);
  await propose(...Array.from({ length: maxChanges + 2 }, (_, index) => named(100 + index)));
  const events = await all(stream);
  expect(events.filter(({ artifactUpdate }) => artifactUpdate)).toHaveLength(maxChanges);
  const task = await getTask(id);
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(changesOf(task)).toEqual([200, 201, 202, 203, 204].map((index) => `urn:watch:${index}`));

  const again = taskStream(
    service.url,
    'SendStreamingMessage',
    message(watch('', { afterSequence: cursorOf(task.status) })),
  );
  const next = await standing(again);
  const first = (await again.next()).value?.artifactUpdate?.artifact.parts[0]?.data as ChangeEvent;
  expect(first.statement.subject.id).toBe(`urn:watch:${100 + maxChanges}`);
  await call(service.url, 'CancelTask', { id: next }, version);
  await all(again);
});

test('a watch completes when its own time is over', async () => {
  const brief = await startServiceOnGraph({ TASK_WATCH_MS: '200' });
  try {
    const task = await sendTask(brief.url, {}, watch(''));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(cursorOf(task.status)).toEqual(expect.any(Number));
  } finally {
    await brief.close();
  }
});

test('a subscription that is none fails the task', async () => {
  const task = await sendTask(service.url, {}, watch('(nonsense: 1)'));
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(task.status.message?.parts[1]?.data?.error).toMatchObject({ code: -32012 });
});
