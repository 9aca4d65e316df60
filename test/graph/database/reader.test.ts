import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import neo4j from 'neo4j-driver';
import { withDriver } from '../../../src/neo4jServer/bolt.ts';
import { add, schemaOrg } from '../../support/patches.ts';
import { call, startServiceOnGraph, testAddress } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const name = 'concord_reader';
const reader = { NEO4J_READER_USER: name, NEO4J_READER_PASSWORD: 'of the reader' };
const database = useDatabase();
const stop = new AbortController();

beforeAll(() => administer(`CREATE OR REPLACE USER ${name} SET PASSWORD 'of the reader' CHANGE NOT REQUIRED`));
const service = useService(reader);
afterAll(() => administer(`DROP USER ${name} IF EXISTS`));

function administer(command: string): Promise<unknown> {
  const { uri, user, password = '' } = testAddress();
  return withDriver(uri, neo4j.auth.basic(user, password), (driver) =>
    driver.executeQuery(command, {}, { database: 'system' }),
  );
}

test("a caller's query runs as the reader, and Concord's own as Concord's user", async () => {
  const endless = 'UNWIND range(1, 10000000000) AS n RETURN sum(n) AS endless';
  const asked = fetch(`${service.url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'knowledge/query',
      params: { query: endless, queryLanguage: 'cypher' },
    }),
    signal: stop.signal,
  }).catch(() => {});
  let found: { user: string }[] = [];
  while (found.length === 0) {
    await sleep(20);
    found = await database.run(
      'READ',
      `SHOW TRANSACTIONS YIELD username, currentQuery WHERE currentQuery CONTAINS 'range(' AND NOT currentQuery STARTS WITH 'SHOW'
       RETURN username AS user`,
    );
  }
  stop.abort();
  await asked;
  expect(found).toEqual([{ user: name }]);
});

test('the reader sees at once what was written, with its revision', async () => {
  const { result } = await call<{ revision: number }>(service.url, 'knowledge/update', {
    sourceAgentId: 'scout',
    mutations: [add('urn:read:a', `${schemaOrg}name`, 'A')],
  });
  const params = { query: '{ entities(where: {id: {eq: "urn:read:a"}}) { id } }' };
  const answer = await call(service.url, 'knowledge/query', params);
  expect(answer.result).toMatchObject({
    data: { entities: [{ id: 'urn:read:a' }] },
    queryMetadata: { revision: result.revision },
  });
});

test.each([
  [{ NEO4J_READER_PASSWORD: 'another password' }, /refuses 'concord_reader', the user for queries/],
  [{ NEO4J_READER_PASSWORD: '' }, /NEO4J_READER_USER needs NEO4J_READER_PASSWORD/],
])('the service does not start with %j', async (settings, message) => {
  await expect(startServiceOnGraph({ ...reader, ...settings })).rejects.toThrow(message);
});
