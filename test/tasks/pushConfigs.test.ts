import { TaskPushNotificationConfig } from '@a2a-js/sdk';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '../../src/graph/migrations.ts';
import { PushConfigs } from '../../src/tasks/pushConfigs.ts';
import { emptyGraph, testDatabase } from '../support/service.ts';
import { contextOf } from './contexts.ts';

const database = testDatabase();
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
    await configs
      .save('t-2', stranger, configOf({ id: 'mine', url: 'https://example.org/theirs' }))
      .catch(() => {});
  }
  expect(await configs.load('t-2', ana)).toEqual([configOf({ id: 'mine' })]);
});
