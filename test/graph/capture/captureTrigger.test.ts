import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { removeTrigger, TriggerSource } from '../../../src/graph/capture/captureTrigger.ts';
import type { Database } from '../../../src/graph/database/database.ts';
import { withSetupLock } from '../../../src/graph/setup/setupLock.ts';
import { testDatabase } from '../../support/service.ts';

const database = testDatabase();
const replicas = Array.from({ length: 4 }, () => testDatabase());
beforeEach(() => drop());
afterAll(async () => {
  await drop();
  for (const each of [database, ...replicas]) await each.close();
});

const drop = () =>
  database.administer("CALL apoc.trigger.drop($name, 'concord') YIELD name RETURN name", { name: database.name });

const install = (replica: Database) =>
  new TriggerSource(replica, {
    mode: 'report',
    tenant: 'default',
    alone: (work) => withSetupLock(replica, { report: () => {} }, work),
  }).open();

const there = async () =>
  (await database.administer<{ name: string }>('CALL apoc.trigger.show($name) YIELD name', { name: database.name }))
    .length;

test('replicas that install the trigger at once make one, which is at work', async () => {
  expect(await Promise.all(replicas.map(install))).toEqual(replicas.map(() => ({ isSeen: true })));
  expect(await there()).toBe(1);
  await removeTrigger(database);
  expect(await there()).toBe(0);
});

test('where a trigger is there twice, of which APOC runs none, the next start makes one of them', async () => {
  const query = 'RETURN 1';
  const make = (replica: Database) =>
    replica.administer("CALL apoc.trigger.install($name, 'concord', $query, {}) YIELD name RETURN name", {
      name: database.name,
      query,
    });
  // APOC makes two where they are installed at once; who comes then finds two, and fails.
  for (let attempt = 0; attempt < 20 && (await there()) < 2; attempt++) {
    await drop();
    await Promise.allSettled(replicas.map(make));
  }
  expect(await there()).toBeGreaterThan(1);
  expect(await install(database)).toEqual({ isSeen: true });
  expect(await there()).toBe(1);
});
