import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ChangeFeed } from '../../src/changes/feed.ts';
import { compileFilter } from '../../src/changes/filter.ts';
import type { LogEntry } from '../../src/graph/updates/changeLog.ts';
import { eventually } from '../a2a/testService.ts';
import { add, schemaOrg } from '../support/patches.ts';
import { call } from '../support/service.ts';
import { useDatabase, useService } from '../support/setUp.ts';

const database = useDatabase();

const service = useService();

const say = (text: string) =>
  call(service.url, 'knowledge/update', {
    mutations: [add('urn:s', `${schemaOrg}name`, text)],
    sourceAgentId: 'atlas',
  });

test('a log with a gap is told, is not handed on, and lets the lag grow until it is whole again', async () => {
  await say('one');
  const [{ tenant } = { tenant: '' }] = await database.run<{ tenant: string }>(
    'READ',
    'MATCH (l:Ledger) RETURN l.tenant AS tenant',
  );
  const errors: unknown[] = [];
  const feed = new ChangeFeed(database, { pollMs: 10, idlePollMs: 10, onError: (error) => errors.push(error) });
  const heard: LogEntry[] = [];
  const { position, stop } = await feed.listen(tenant, compileFilter({}), (changes) => heard.push(...changes));
  await say('two');
  await say('three');
  const [gap] = await database.run<{ sequence: number }>(
    'WRITE',
    `MATCH (c:Change {tenant: $tenant, sequence: $sequence}) SET c.sequence = -1 RETURN $sequence AS sequence`,
    { tenant, sequence: position + 1 },
  );
  expect(gap).toBeDefined();
  feed.start();
  await eventually(() => errors.length > 0);
  expect(String(errors[0])).toContain(`a gap after ${position}`);
  expect(heard).toEqual([]);
  await sleep(400);
  expect(feed.lagSeconds()).toBeGreaterThanOrEqual(0.4);
  await database.run('WRITE', 'MATCH (c:Change {sequence: -1}) SET c.sequence = $sequence', {
    sequence: position + 1,
  });
  await eventually(() => heard.length > 0);
  expect(heard.map(({ sequence }) => sequence)).toEqual([position + 1, position + 2]);
  await eventually(() => feed.lagSeconds() < 0.4);
  stop();
  await feed.close();
});

test('a log that ends before its ledger says so is told too, and the feed is not well while it does', async () => {
  const [{ tenant, sequence } = { tenant: '', sequence: 0 }] = await database.run<{ tenant: string; sequence: number }>(
    'READ',
    'MATCH (l:Ledger) RETURN l.tenant AS tenant, l.sequence AS sequence',
  );
  const errors: unknown[] = [];
  const feed = new ChangeFeed(database, { pollMs: 10, idlePollMs: 10, onError: (error) => errors.push(error) });
  const heard: LogEntry[] = [];
  const { stop } = await feed.listen(tenant, compileFilter({}), (changes) => heard.push(...changes));
  await say('four');
  const hide = 'MATCH (c:Change {tenant: $tenant, sequence: $sequence}) SET c.sequence = -1';
  await database.run('WRITE', hide, { tenant, sequence: sequence + 1 });
  feed.start();
  await eventually(() => errors.length > 0);
  expect(String(errors[0])).toContain(`a gap after ${sequence}`);
  await sleep(400);
  expect(feed.lagSeconds()).toBeGreaterThanOrEqual(0.4);
  await database.run('WRITE', 'MATCH (c:Change {sequence: -1}) SET c.sequence = $last', { last: sequence + 1 });
  await eventually(() => heard.length > 0);
  await eventually(() => feed.lagSeconds() < 0.4);
  stop();
  await feed.close();
});
