import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { Neo4jError } from 'neo4j-driver';
import { Database } from '../../src/graph/database/database.ts';
import type { Service } from '../../src/service/startService.ts';
import { call, startTestService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => service.close());

const gone = () => new Neo4jError('is away', 'ServiceUnavailable', '', '');

/** Neo4j answers nothing in the first transactions. @returns how many there were */
function awayFor(transactions: number): () => number {
  const begin = Database.prototype.beginRead;
  const spy = jest.spyOn(Database.prototype, 'beginRead').mockImplementation(function (this: Database, ...args) {
    const open = begin.apply(this, args);
    if (spy.mock.calls.length > transactions) return open;
    const run = async () => {
      throw gone();
    };
    return { ...open, tx: { run }, own: { run } };
  });
  return () => spy.mock.calls.length;
}

async function overGraphql(query: string) {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors = [] } = (await response.json()) as {
    data?: object;
    errors?: { extensions: { code: number; reason?: string } }[];
  };
  const { code, ...error } = errors[0]?.extensions ?? {};
  return { data, error: code === undefined ? undefined : { code, data: error } };
}

async function overA2a(query: string) {
  const { result, error } = await call<{ data: object }>(service.url, 'knowledge/query', { query });
  return { data: result?.data, error };
}

const query = '{ one: entities(limit: 1) { id } other: entities(limit: 1) { id } }';
const doors = [
  ['/graphql', overGraphql],
  ['knowledge/query', overA2a],
] as const;

test.each(doors)('%s asks again where Neo4j was away', async (_, ask) => {
  const begun = awayFor(2);
  expect((await ask(query)).data).toEqual({ one: [], other: [] });
  expect(begun()).toBe(3);
});

test.each(doors)('%s gives up after three times, and says that it may be tried later', async (_, ask) => {
  const begun = awayFor(3);
  expect((await ask(query)).error).toMatchObject({
    code: -32010,
    data: { reason: 'database-unavailable', retryable: true },
  });
  expect(begun()).toBe(3);
});
