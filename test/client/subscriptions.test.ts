import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { add, type ConcordClient, connect } from '../../src/client/index.ts';
import type { ChangeSubscription } from '../../src/wire/types.ts';
import { eventually } from '../a2a/testService.ts';
import { concord } from '../cli/command.ts';
import { startReceiver, type TestReceiver } from '../push/receiver.ts';
import { useService } from '../support/setUp.ts';

const service = useService({ PUSH_ALLOW: '127.0.0.1' });
const query = 'subscription { statementChanged { op } }';
let client: ConcordClient;
let receiver: TestReceiver;

beforeAll(async () => {
  receiver = await startReceiver();
  client = await connect(service.url, { agentId: 'scout' });
});
afterAll(() => receiver.close());

const values = () =>
  receiver.received.flatMap(({ body }) =>
    JSON.parse(body).map((event: { data: { statement: { object: { value: unknown } } } }) => {
      return event.data.statement.object.value;
    }),
  );

test('a client keeps a subscription, pauses it, has it go on and deletes it', async () => {
  const { subscriptions } = client;
  await client.update([add('urn:a', 'urn:p', 'first')]);
  const created = await subscriptions.create(query, { url: `${receiver.url}/hook` }, { after: 0 });
  await eventually(() => values().includes('first'));
  expect(await subscriptions.pause(created.id)).toMatchObject({ id: created.id, state: 'paused' });
  await client.update([add('urn:a', 'urn:p', 'second')]);
  expect((await subscriptions.list()).map(({ id, state }) => [id, state])).toEqual([[created.id, 'paused']]);
  expect(await subscriptions.resume(created.id)).toMatchObject({ state: 'active' });
  await eventually(() => values().includes('second'));
  expect(values()).toEqual(['first', 'second']);
  expect(await subscriptions.get(created.id)).toMatchObject({ id: created.id, receiver: created.receiver });
  await subscriptions.delete(created.id);
  await expect(subscriptions.get(created.id)).rejects.toMatchObject({ code: -32012, reason: 'unknown-subscription' });
});

test('so does the command', async () => {
  const run = (...words: string[]) => concord(['subscriptions', ...words], { url: service.url });
  const made = await run('create', `${receiver.url}/hook`, query, '--receiver-token', 'mine', '--certainty', '0.5');
  const id = made.printed.trim();
  const listed = await run('list');
  expect(listed.printed).toMatch(/^ID +STATE +WHY +CURSOR +DELIVERED +RECEIVER +SUBSCRIPTION\n/);
  expect(listed.printed).toContain(id);
  expect((await run('pause', id)).printed).toBe(`${id} is paused\n`);
  const shown: ChangeSubscription = JSON.parse((await run('get', id)).printed);
  expect(shown).toMatchObject({ state: 'paused', pause: { reason: 'asked' }, metadata: { requiredCertainty: 0.5 } });
  expect((await run('resume', id)).printed).toBe(`${id} is active\n`);
  expect((await run('delete', id)).printed).toBe(`${id} is deleted\n`);
  const gone = await run('get', id);
  expect([gone.code, gone.said]).toEqual([1, expect.stringContaining('unknown-subscription')]);
});
