import { TaskPushNotificationConfig } from '@a2a-js/sdk';
import { expect, test } from '@jest/globals';
import { PushConfigs } from '../../src/tasks/store/pushConfigs.ts';
import { message, type TaskJson } from '../a2a/tasks.ts';
import { call } from '../support/service.ts';
import { useDatabase, useService } from '../support/setUp.ts';
import { contextOf } from './contexts.ts';

const database = useDatabase();
const service = useService();

const labels = ['Agent', 'Task', 'Message', 'Artifact', 'TaskEvent', 'PushConfig'];
const cypher = async (query: string) => {
  const { result, error } = await call<{ data: object }>(service.url, 'knowledge/query', {
    query,
    queryLanguage: 'cypher',
  });
  expect(error).toBeUndefined();
  return JSON.stringify(result.data);
};

test('an agent that reads by Cypher finds no task, and nothing that belongs to one', async () => {
  const answer = await call<{ task: TaskJson }>(
    service.url,
    'SendMessage',
    message({ skill: 'query', query: '{ entities { id } }' }),
    { 'A2A-Version': '1.0' },
  );
  const { id } = answer.result.task;
  const config = TaskPushNotificationConfig.fromJSON({ url: 'https://example.org/hook', token: 'a secret' });
  await new PushConfigs(database).save(id, contextOf(undefined, { tenant: 'default' }), config);
  const [there] = await database.run<{ labels: string[] }>(
    'READ',
    'MATCH (n) WHERE any(label IN labels(n) WHERE label IN $labels) RETURN collect(DISTINCT labels(n)[0]) AS labels',
    { labels },
  );
  expect(there?.labels.toSorted()).toEqual(labels.toSorted());

  expect(await cypher('RETURN 1 AS one')).toContain('one');
  const all = await cypher(
    'MATCH (n) OPTIONAL MATCH (n)-[r]-(m) RETURN n.id AS n, n.config AS config, n.text AS text, type(r) AS r, m.id AS m',
  );
  expect(all).not.toContain(id);
  expect(all).not.toContain('secret');
  for (const label of labels) expect(await cypher(`MATCH (n:${label}) RETURN n.id AS id`)).not.toContain(id);
});
