import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { message, message03, type TaskJson } from '../a2a/tasks.ts';
import { eventually } from '../a2a/testService.ts';
import { add } from '../support/patches.ts';
import { call, startServiceOnGraph } from '../support/service.ts';
import { useService } from '../support/setUp.ts';
import { startReceiver, type TestReceiver } from './receiver.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
let receiver: TestReceiver;

const service = useService({
  PUSH_ALLOW: '127.0.0.1',
  AGENT_TRUST: 'rumour=0.2',
  AGENT_CARD_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
});
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
});
beforeEach(() => {
  receiver.received.length = 0;
});

const query = { skill: 'query', query: '{ entities(limit: 1) { id } }' };
const of10 = { 'A2A-Version': '1.0' };

test('the card says that there are push notifications', async () => {
  const card = await fetch(`${service.url}/.well-known/agent-card.json`);
  expect(await card.json()).toMatchObject({ capabilities: { pushNotifications: true } });
});

test('who sends a message with a receiver is told of the task until it has ended, signed with the key of the card', async () => {
  const { result, error } = await call<{ task: TaskJson }>(
    service.url,
    'SendMessage',
    {
      ...message(query),
      configuration: {
        returnImmediately: true,
        taskPushNotificationConfig: { url: `${receiver.url}/hook`, token: 'mine' },
      },
    },
    of10,
  );
  expect(error).toBeUndefined();
  const states = () =>
    receiver.received.flatMap(({ body }) => {
      const { task, statusUpdate } = JSON.parse(body);
      return (task ?? statusUpdate)?.status.state ?? [];
    });
  await eventually(() => states().includes('TASK_STATE_COMPLETED'));
  expect(states().at(-1)).toBe('TASK_STATE_COMPLETED');
  const [first] = receiver.received;
  expect(first?.headers['x-a2a-notification-token']).toBe('mine');
  const [header = '', claims = ''] = first?.headers.authorization?.replace('Bearer ', '').split('.') ?? [];
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  expect(read(claims)).toMatchObject({ taskId: result.task.id, iss: service.url, aud: receiver.url });
  const keys = (await (await fetch(read(header).jku)).json()) as { keys: { kid: string }[] };
  expect(keys.keys.map(({ kid }) => kid)).toEqual([read(header).kid]);
  await eventually(async () =>
    /concord_push_notifications_total\{outcome="sent"\} [1-9]/.test(
      await (await fetch(`${service.url}/metrics`)).text(),
    ),
  );
});

test('a receiver that is set in A2A 0.3 gets what 0.3 sends', async () => {
  const pushNotificationConfig = { url: `${receiver.url}/hook`, token: 'mine' };
  const params = { ...message03(query), configuration: { blocking: true, pushNotificationConfig } };
  const { result } = await call<TaskJson>(service.url, 'message/send', params);
  const last = () => JSON.parse(receiver.received.at(-1)?.body ?? '{}');
  await eventually(() => last().status?.state === 'completed');
  expect(last()).toMatchObject({ kind: 'task', id: result.id });
});

test('a receiver that may not be called is refused when it is set, and nothing is begun', async () => {
  const taskPushNotificationConfig = { url: 'https://169.254.169.254/latest' };
  const refused = { code: -32602, message: expect.stringContaining('PUSH_ALLOW') };
  const sent = await call(
    service.url,
    'SendMessage',
    { ...message(query), configuration: { taskPushNotificationConfig } },
    of10,
  );
  expect(sent.error).toMatchObject(refused);
  const sent03 = await call(service.url, 'message/send', {
    ...message03(query),
    configuration: { pushNotificationConfig: taskPushNotificationConfig },
  });
  expect(sent03.error).toMatchObject(refused);
  const { result } = await call<{ task: TaskJson }>(service.url, 'SendMessage', message(query), of10);
  const { error } = await call(
    service.url,
    'CreateTaskPushNotificationConfig',
    { taskId: result.task.id, url: 'https://10.0.0.1/hook' },
    of10,
  );
  expect(error).toMatchObject(refused);
  const listed = await call<{ configs?: unknown[] }>(
    service.url,
    'ListTaskPushNotificationConfigs',
    { taskId: result.task.id },
    of10,
  );
  expect(listed.result.configs ?? []).toEqual([]);
});

test('a task that has all the receivers that it may have takes no further one, and no message that brings one', async () => {
  const { result } = await call<{ task: TaskJson }>(
    service.url,
    'SendMessage',
    message({ skill: 'propose', mutations: [add('urn:x', 'urn:p', 'held')], sourceAgentId: 'rumour' }),
    of10,
  );
  const { id: taskId, status } = result.task;
  expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const set = (id: string) =>
    call(service.url, 'CreateTaskPushNotificationConfig', { taskId, id, url: `${receiver.url}/hook` }, of10);
  for (let index = 0; index < 10; index++) expect((await set(`c-${index}`)).error).toBeUndefined();
  const refused = { code: -32004, message: expect.stringContaining('the 10 push notification') };
  expect((await set('c-10')).error).toMatchObject(refused);
  expect((await set('c-9')).error).toBeUndefined();
  const further = await call(
    service.url,
    'SendMessage',
    {
      ...message(query, { taskId }),
      configuration: { taskPushNotificationConfig: { url: `${receiver.url}/hook` } },
    },
    of10,
  );
  expect(further.error).toMatchObject(refused);
  const task = await call<{ history: object[] }>(service.url, 'GetTask', { id: taskId }, of10);
  expect(task.result.history).toHaveLength(2);
});

test('without the setting no receiver on this machine is taken', async () => {
  const other = await startServiceOnGraph();
  try {
    const taskPushNotificationConfig = { url: receiver.url };
    const { error } = await call(
      other.url,
      'SendMessage',
      { ...message(query), configuration: { taskPushNotificationConfig } },
      of10,
    );
    expect(error?.code).toBe(-32602);
  } finally {
    await other.close();
  }
  expect(() => startServiceOnGraph({ PUSH_ALLOW: '10.0.0.0/99' })).toThrow(/PUSH_ALLOW: '10\.0\.0\.0\/99'/);
});
