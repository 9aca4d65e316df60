import { TaskPushNotificationConfig, TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Database } from '../../../src/graph/database/database.ts';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import { takeOwed } from '../../../src/tasks/store/owedNotices.ts';
import { PushConfigs } from '../../../src/tasks/store/pushConfigs.ts';
import { Tasks } from '../../../src/tasks/tasks.ts';
import { emptyGraph, testAddress } from '../../support/service.ts';
import { contextOf, statusAt, taskOf } from '../contexts.ts';

/** Counts its reads. */
class CountingDatabase extends Database {
  reads = 0;

  override read<T>(...parameters: Parameters<Database['read']>): Promise<T> {
    this.reads += 1;
    return super.read(...parameters) as Promise<T>;
  }
}

const database = new CountingDatabase(testAddress());
const configs = new PushConfigs(database);
const ana = contextOf('ana');

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
});
afterAll(() => database.close());

const configOf = (further: object = {}) =>
  TaskPushNotificationConfig.fromJSON({
    url: 'https://example.org/hook',
    token: 'a secret',
    authentication: { scheme: 'Bearer', credentials: 'another' },
    ...further,
  });

test('a configuration is given an id, kept with its version and secrets, and replaced by its id', async () => {
  const first = configOf();
  await configs.save('t-1', ana, first);
  expect(first.id).not.toBe('');
  await configs.save('t-1', ana, configOf({ id: 'mine' }));
  await configs.save('t-1', ana, configOf({ id: 'mine', url: 'https://example.org/other' }));
  const found = await configs.loadWithMetadata('t-1', ana);
  expect(found).toEqual([
    { config: first, wireVersion: '1.0' },
    { config: configOf({ id: 'mine', url: 'https://example.org/other' }), wireVersion: '1.0' },
  ]);
  await configs.delete('t-1', ana, 'mine');
  expect(await configs.load('t-1', ana)).toEqual([first]);
});

test("another agent, or another tenant, neither sees nor removes one's configurations", async () => {
  await configs.save('t-2', ana, configOf({ id: 'mine' }));
  for (const stranger of [contextOf('bob'), contextOf('ana', { tenant: 'south' })]) {
    expect(await configs.load('t-2', stranger)).toEqual([]);
    await configs.delete('t-2', stranger, 'mine');
    await configs.save('t-2', stranger, configOf({ id: 'mine', url: 'https://example.org/theirs' })).catch(() => {});
  }
  expect(await configs.load('t-2', ana)).toEqual([configOf({ id: 'mine' })]);
});

test('a task takes ten configurations and no more, but one of them may be replaced', async () => {
  const ten = Array.from({ length: 10 }, (_, index) => `c-${index}`);
  for (const id of ten) await configs.save('t-3', ana, configOf({ id }));
  const refused = { data: { reason: 'push-configs-full', limit: 10 } };
  await expect(configs.save('t-3', ana, configOf())).rejects.toMatchObject(refused);
  await configs.save('t-3', ana, configOf({ id: 'c-3', url: 'https://example.org/other' }));
  await configs.delete('t-3', ana, 'c-4');
  await configs.save('t-3', ana, configOf({ id: 'c-4' }));
  expect((await configs.load('t-3', ana)).map(({ id }) => id).toSorted()).toEqual(ten);
});

test('of many that are set at once, a task takes ten', async () => {
  const set = Array.from({ length: 14 }, () => configs.save('t-4', ana, configOf()));
  const outcomes = (await Promise.allSettled(set)).map(({ status }) => status);
  expect(outcomes.filter((status) => status === 'fulfilled')).toHaveLength(10);
  expect(await configs.load('t-4', ana)).toHaveLength(10);
});

test('a task without configurations is not asked about when it is saved, and one from another replica is found with the next save', async () => {
  const tasks = new Tasks({
    database,
    onError(error) {
      throw error;
    },
  });
  const context = contextOf('ana');
  const task = taskOf();
  const saved = async (at: number) => {
    await tasks.taskStore.save({ ...task, status: statusAt(TaskState.TASK_STATE_INPUT_REQUIRED, at) }, context);
    const before = database.reads;
    const found = await tasks.pushStore.loadWithMetadata(task.id, context);
    return { urls: found.map(({ config }) => config.url), reads: database.reads - before };
  };
  expect(await saved(1_000)).toEqual({ urls: [], reads: 0 });
  await configs.save(task.id, ana, configOf());
  expect(await saved(2_000)).toEqual({ urls: ['https://example.org/hook'], reads: 1 });
  await configs.delete(task.id, ana, (await configs.load(task.id, ana))[0]?.id);
  expect(await saved(3_000)).toEqual({ urls: [], reads: 0 });
  await tasks.close();
});

/* Receivers that are owed how a task rests. */

const owing = new PushConfigs(database, new Set(['1.0']));

/** A receiver of a task, as the time goes by in minutes. */
async function owed(id: string, state: string, minutesAgo: number) {
  const config = configOf({ id: 'c' });
  await owing.save(id, ana, config);
  await database.run(
    'WRITE',
    'MATCH (t:Task {id: $id}) SET t.state = $state, t.statusAt = datetime() - duration({minutes: $minutesAgo})',
    { id, state, minutesAgo },
  );
  const key = { tenant: 'north', id };
  const isDue = () =>
    database.run('WRITE', 'MATCH (c:PushConfig {taskId: $id}) SET c.owedAt = datetime() - duration("PT1S")', { id });
  const row = async () =>
    (
      await database.run<{ at: unknown; status: number }>(
        'READ',
        'MATCH (t:Task {id: $id})-[:NOTIFIES]->(c) RETURN c.owedAt AS at, t.statusAt.epochMillis AS status',
        { id },
      )
    )[0];
  return { config, key, isDue, row };
}
const taken = async () => (await database.write((tx) => takeOwed(tx, 10), 10_000)).map(({ id }) => id);

test('a receiver is owed how its task rests until it has heard of its end, and only where its dialect says so', async () => {
  const { config, key, isDue, row } = await owed('o-1', 'WORKING', 5);
  expect(await taken()).toEqual([]);
  await isDue();
  expect(await taken()).toEqual([]);
  await database.run('WRITE', 'MATCH (t:Task {id: "o-1"}) SET t.state = "INPUT_REQUIRED"');
  await isDue();
  // Of two replicas one gets it.
  expect((await Promise.all([taken(), taken()])).flat()).toEqual(['o-1']);
  const at = (await row())?.status ?? 0;
  const heard = (state: TaskState, time: number, wireVersion = '1.0') =>
    owing.heard({ config, wireVersion }, key, {
      status: { state, message: undefined, timestamp: new Date(time).toISOString() },
    });
  await heard(TaskState.TASK_STATE_INPUT_REQUIRED, at);
  await isDue();
  expect(await taken()).toEqual([]);
  await database.run(
    'WRITE',
    'MATCH (t:Task {id: "o-1"}) SET t.state = "COMPLETED", t.statusAt = t.statusAt + duration("PT1M")',
  );
  await isDue();
  expect(await taken()).toEqual(['o-1']);
  await heard(TaskState.TASK_STATE_COMPLETED, at + 60_000, '0.3');
  expect((await row())?.at).not.toBeNull();
  await heard(TaskState.TASK_STATE_COMPLETED, at + 60_000);
  expect((await row())?.at).toBeNull();
});

test('what has just come to rest is left to the replica that tells it, and a receiver that never hears is given up', async () => {
  const { isDue, row } = await owed('o-2', 'COMPLETED', 0);
  await isDue();
  expect(await taken()).toEqual([]);
  await database.run('WRITE', 'MATCH (t:Task {id: "o-2"}) SET t.statusAt = t.statusAt - duration("PT5M")');
  for (let tries = 0; tries < 6; tries++) {
    await isDue();
    expect(await taken()).toEqual(['o-2']);
  }
  await isDue();
  expect([await taken(), (await row())?.at]).toEqual([[], null]);
});
