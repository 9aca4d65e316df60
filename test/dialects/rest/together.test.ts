import { expect, test } from '@jest/globals';
import { eventually } from '../../a2a/testService.ts';
import { bearerOf, identities } from '../../support/identities.ts';
import { call } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';
import { askingFor, RestClient } from './client.ts';

const service = useService({ ...identities, TENANTS: 'north,south' });
const database = useDatabase();
const headers = bearerOf({ tenant: 'north', sub: 'ana' });
const rest = (as = headers) => new RestClient(service.url, as);
const watch = {
  skill: 'watch',
  subscriptionQuery: 'subscription { statementChanged(where: {subject: {eq: "urn:none"}}) { op } }',
};
type Task = { id: string; status: { state: string } };

const a2a = (method: string, params: object, version = '1.0') =>
  call<Task>(service.url, method, params, { 'A2A-Version': version, ...headers });

test('a task that is begun here is read, followed and cancelled in the other dialects, and is a node', async () => {
  const seen = [];
  for await (const event of rest().events(askingFor({ skill: 'watch', subscriptionQuery: 'subscription { x }' })))
    seen.push(event);
  expect(seen.at(-1)).toMatchObject({ event: 'task_error', data: { status: 'failed' } });
  const { task_id: id, status } = await rest().send(askingFor(watch));
  expect(['created', 'in_progress']).toContain(status);
  await eventually(async () => (await rest().get(id)).state.status === 'in_progress');
  const first = await call<Task>(service.url, 'tasks/get', { id }, { 'A2A-Version': '0.1', ...headers });
  expect(first.result).toMatchObject({ id, status: { state: 'working' } });
  expect((await a2a('CancelTask', { id })).result).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
  expect((await rest().get(id)).state).toMatchObject({ status: 'cancelled', progress: 1 });
  const rows = await database.run(
    'READ',
    'MATCH (agent:Agent {id: $agent})-[:ASKED]->(task:Task {id: $id}) RETURN task.state AS status',
    { agent: 'ana', id },
  );
  expect(rows).toMatchObject([{ status: 'CANCELED' }]);
  expect(await rest(bearerOf({ tenant: 'south', sub: 'ana' })).fault(`/tasks/${id}`)).toMatchObject({ status: 404 });
});

test('a task that is begun in another dialect is read and cancelled here', async () => {
  const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ data: watch }] };
  const configuration = { returnImmediately: true };
  const { result } = await a2a('SendMessage', { message, configuration });
  const { id } = (result as unknown as { task: Task }).task;
  expect(await rest().cancel(id)).toMatchObject({ id, state: { status: 'cancelled' } });
  expect((await a2a('GetTask', { id })).result).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
});
