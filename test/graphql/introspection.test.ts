import { expect, test } from '@jest/globals';
import { call } from '../support/service.ts';
import { useService } from '../support/setUp.ts';
import { openSocket, until } from './subscriber.ts';

const service = useService({ INTROSPECTION: 'false' });

async function overHttp(query: string) {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as { data?: object; errors?: { message: string }[] };
}

test('without introspection the schema is told on no door', async () => {
  const query = '{ __schema { types { name } } }';
  const disabled = expect.stringContaining('introspection has been disabled');
  expect((await overHttp(query)).errors?.[0]?.message).toEqual(disabled);
  const { error } = await call(service.url, 'knowledge/query', { query });
  expect(error).toMatchObject({ code: -32010, message: disabled, data: { reason: 'validation' } });
  for (const [path, accept] of [
    ['/schema.graphql', '*/*'],
    ['/graphql', 'text/html'],
  ] as const) {
    const response = await fetch(`${service.url}${path}`, { headers: { accept } });
    expect([path, response.status, await response.json()]).toEqual([
      path,
      403,
      { error: expect.stringContaining('INTROSPECTION is off') },
    ]);
  }
  const card = await (await fetch(`${service.url}/.well-known/agent-card.json`)).json();
  expect(JSON.stringify(card)).not.toContain('schema.graphql');
});

test('without introspection faults suggest no names, and everything else works', async () => {
  const query = '{ citys { name } }';
  expect((await overHttp(query)).errors?.[0]?.message).toMatch(/^Cannot query field "citys" on type "Query"\.$/);
  const { error } = await call(service.url, 'knowledge/query', { query });
  expect(JSON.stringify(error)).toContain('Cannot query field');
  expect(JSON.stringify(error)).not.toContain('Did you mean');
  const socket = openSocket(service.url);
  const subscription = socket.subscribe('subscription { statementChange { op } }');
  await until(() => subscription.errors !== undefined);
  expect(subscription.errors?.[0]?.message).not.toContain('Did you mean');
  socket.close();
  expect(await overHttp('{ __typename entities { id } }')).toEqual({
    data: { __typename: 'Query', entities: [] },
  });
});
