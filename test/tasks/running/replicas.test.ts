import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Tasks } from '../../../src/tasks/tasks.ts';
import { message, type TaskJson } from '../../a2a/tasks.ts';
import { eventually } from '../../a2a/testService.ts';
import { type Answer, call, emptyGraph, testDatabase } from '../../support/service.ts';
import { type TaskEventJson, taskStream } from '../taskStream.ts';
import { type Replica, startReplica } from './replicaProcess.ts';

let one: Replica;
let other: Replica;
const database = testDatabase();

beforeAll(async () => {
  await emptyGraph();
  one = await startReplica();
  other = await startReplica();
});

afterAll(async () => {
  await one?.close();
  await other?.close();
  await database.close();
});

const ask = <Result>({ url }: Replica, method: string, params: object): Promise<Answer<Result>> =>
  call<Result>(url, method, params, { 'A2A-Version': '1.0' });
const get = async (replica: Replica, id: string) => (await ask<TaskJson>(replica, 'GetTask', { id })).result;

/** Begins a task that goes on until it is released. */
async function begin(replica: Replica): Promise<TaskJson> {
  const params = message({ skill: 'wait' });
  const configuration = { returnImmediately: true };
  const { result } = await ask<{ task: TaskJson }>(replica, 'SendMessage', { ...params, configuration });
  return result.task;
}
const release = (replica: Replica) => ask(replica, 'SendMessage', message({ skill: 'release' }));

/** Subscribes, and settles when the stream stands. */
async function subscribed(replica: Replica, id: string) {
  const end = new AbortController();
  const stream = taskStream(replica.url, 'SubscribeToTask', { id }, end.signal);
  const first = (await stream.next()).value as TaskEventJson;
  const rest = (async () => {
    const events: TaskEventJson[] = [];
    for await (const event of stream) events.push(event);
    return events;
  })();
  rest.catch(() => {});
  return { task: first.task, rest, leave: () => end.abort() };
}

/** Ends the lease of the replica that executes the task. */
const overdue = (id: string) =>
  database.run(
    'WRITE',
    'MATCH (t:Task {id: $id}) WHERE t.leaseUntil IS NOT NULL SET t.leaseUntil = datetime() - duration("PT1S")',
    { id },
  );

const lastState = (events: TaskEventJson[]) => events.at(-1)?.statusUpdate?.status.state;

test('a task that runs on one replica is read, listed, followed and followed again on the other', async () => {
  const { id, contextId } = await begin(one);
  expect(await get(other, id)).toMatchObject({ id, contextId });
  const list = await ask<{ tasks: TaskJson[] }>(other, 'ListTasks', { contextId });
  expect(list.result.tasks.map((task) => task.id)).toEqual([id]);

  const first = await subscribed(other, id);
  const here = await subscribed(one, id);
  expect(first.task).toMatchObject({ id });
  first.leave();
  const again = await subscribed(other, id);
  await release(one);
  for (const { rest } of [again, here]) expect(lastState(await rest)).toBe('TASK_STATE_COMPLETED');
  expect((await get(other, id)).status.state).toBe('TASK_STATE_COMPLETED');
  const late = await ask(other, 'SubscribeToTask', { id });
  expect(late.error?.code).toBe(-32004);
});

test('a follower on another replica hears all that the one who began it hears', async () => {
  const stream = taskStream(one.url, 'SendStreamingMessage', message({ skill: 'wait' }));
  const begun = (await stream.next()).value as TaskEventJson;
  const id = begun.task?.id ?? '';
  const working = (await stream.next()).value as TaskEventJson;
  expect(working.statusUpdate?.status.state).toBe('TASK_STATE_WORKING');
  // What has been said before it subscribes is in the task or follows.
  const follower = await subscribed(other, id);
  await release(one);
  const said: TaskEventJson[] = [];
  for await (const event of stream) said.push(event);
  const heard = (await follower.rest).filter(({ statusUpdate }) => statusUpdate?.status.state !== 'TASK_STATE_WORKING');
  expect(heard).toEqual(said);
});

test('a task that runs on one replica is cancelled on the other, and stops', async () => {
  const { id } = await begin(one);
  const follower = await subscribed(one, id);
  const { result, error } = await ask<TaskJson>(other, 'CancelTask', { id });
  expect(error).toBeUndefined();
  expect(result.status.state).toBe('TASK_STATE_CANCELED');
  expect(lastState(await follower.rest)).toBe('TASK_STATE_CANCELED');
  expect((await get(one, id)).status.state).toBe('TASK_STATE_CANCELED');
});

test('a task that waits for its agent goes on, or is cancelled, on another replica', async () => {
  const asking = async () => {
    const { result } = await ask<{ task: TaskJson }>(one, 'SendMessage', message({ skill: 'ask' }));
    return result.task;
  };
  const { id } = await asking();
  const follower = await subscribed(one, id);
  expect(follower.task?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const { result } = await ask<{ task: TaskJson & { history: object[] } }>(
    other,
    'SendMessage',
    message({ skill: 'echo', said: 'more' }, { taskId: id }),
  );
  expect(result.task).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
  expect(result.task.history).toHaveLength(4);
  expect(lastState(await follower.rest)).toBe('TASK_STATE_COMPLETED');

  const second = await asking();
  const cancelled = await ask<TaskJson>(other, 'CancelTask', { id: second.id });
  expect(cancelled.result.status.state).toBe('TASK_STATE_CANCELED');
});

test('a replica that was only slow finds its task ended, and does not bring it back', async () => {
  const { id } = await begin(one);
  const tasks = new Tasks({ database, onError() {} });
  // The replica may renew its lease just before it is looked at.
  for (let state = ''; state !== 'TASK_STATE_FAILED'; state = (await get(other, id)).status.state) {
    await overdue(id);
    await tasks.sweep();
  }
  await tasks.close();
  await release(one);
  // What the replica writes of this one comes after what it writes of the other.
  await release(one);
  expect((await get(one, id)).status.state).toBe('TASK_STATE_FAILED');
  const rows = await database.run('READ', 'MATCH (t:Task {id: $id}) RETURN t.states[-1] AS state', { id });
  expect(rows).toEqual([{ state: 'FAILED' }]);
});

test('a task whose replica was killed is ended as failed by another, once, and its followers hear of it', async () => {
  const { id } = await begin(one);
  const follower = await subscribed(other, id);
  // What nobody waits to hear of is written a moment later.
  await eventually(async () => (await get(other, id)).status.state === 'TASK_STATE_WORKING');
  await one.kill();
  await overdue(id);
  expect(lastState(await follower.rest)).toBe('TASK_STATE_FAILED');
  const task = await get(other, id);
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(task.status.message?.parts[0]?.text).toContain('replica');
  one = await startReplica();
  await eventually(async () => (await get(one, id)).status.state === 'TASK_STATE_FAILED');
  const rows = await database.run(
    'READ',
    'MATCH (t:Task {id: $id}) RETURN t.states AS states, t.leaseUntil AS lease, COUNT { (t)-[:HAS_MESSAGE]->() } AS messages',
    { id },
  );
  expect(rows).toEqual([{ states: ['SUBMITTED', 'WORKING', 'FAILED'], lease: null, messages: 2 }]);
});
