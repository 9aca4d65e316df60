import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '../../a2a/testService.ts';
import { startReceiver, type TestReceiver } from '../../push/receiver.ts';
import { bearerOf, identities } from '../../support/identities.ts';
import { add, schemaOrg } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';
import { type Message, messageOf, post } from './client.ts';

const service = useService({
  ...identities,
  PUSH_ALLOW: '127.0.0.1',
  MAX_BODY_BYTES: '200000',
  TASK_MAX_CONCURRENT: '8',
  AGENT_TRUST: 'rumour=0.2',
  TENANTS: 'blue,green,red',
});
const database = useDatabase();
let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.received.length = 0;
});

const as = (sub: string, { tenant = 'blue', ...more }: Record<string, string> = {}) =>
  bearerOf({ tenant, sub, ...more });
const send = (message: object | string, headers: Record<string, string> = as('anna')) =>
  post(service.url, message, headers);
const query = { query: '{ entities(limit: 1) { id } }' };
const delegation = (task: string, parameters: object, more: object = {}) =>
  messageOf('task_delegation', { task, parameters, ...more });
const told = () => receiver.received.map(({ body }) => JSON.parse(String(body)) as Message);

async function eventsOf(wanted: Record<string, string>, headers = as('anna')) {
  const response = await fetch(`${service.url}/a2a/messages?${new URLSearchParams(wanted)}`, { headers });
  const { events } = (await response.json()) as { events: Record<string, string>[] };
  return events;
}

test('a delegation without a callback is answered with what came of it, as the same task that A2A knows', async () => {
  const message = { ...delegation('query', query), correlationId: 'atlas-1', groupId: 'blue' };
  const headers = { 'X-A2A-Version': '1.0', 'X-Message-Id': message.messageId };
  const { status, headers: told, body } = await send(message, { ...as('anna'), ...headers });
  expect([status, body.message.type, body.message.content.status]).toEqual([200, 'task_result', 'completed']);
  expect(body).toMatchObject({
    ...{ version: '1.0', correlationId: 'atlas-1', groupId: 'blue' },
    from: { agentId: 'concord', endpoint: `${service.url}/a2a/messages` },
    to: { agentId: 'anna', endpoint: 'https://anna.example.org/messages' },
    message: { content: { result: { data: { entities: [] } } } },
  });
  expect([told.get('x-a2a-version'), told.get('x-message-id')]).toEqual(['1.0', body.messageId]);
  const { result } = await call<{ contextId: string; status: { state: string } }>(
    service.url,
    'GetTask',
    { id: body.message.content.taskId },
    { ...as('anna'), 'A2A-Version': '1.0' },
  );
  expect(result).toMatchObject({ contextId: 'atlas-1', status: { state: 'TASK_STATE_COMPLETED' } });
});

test('a delegation with a callback is accepted, and what came of it is sent there in a message', async () => {
  const begun = delegation('query', query, { callback: `${receiver.url}/hook` });
  const until = Date.now() + 20_000;
  const { status, body } = await send({ ...begun, metadata: { priority: 'high', timeout: 20_000 } });
  const { taskId, estimatedCompletion, capabilities } = body.message.content;
  expect([status, body.message.type, capabilities]).toEqual([202, 'task_acceptance', ['query']]);
  expect(Math.abs(estimatedCompletion - until)).toBeLessThan(5_000);
  await eventually(() => receiver.received.length > 0);
  expect(told()).toMatchObject([
    {
      ...{ version: '1.0', correlationId: begun.messageId, groupId: 'blue', metadata: { priority: 'high' } },
      ...{ from: { agentId: 'concord' }, to: { agentId: 'anna' } },
      message: { type: 'task_result', content: { taskId, status: 'completed', result: { data: { entities: [] } } } },
    },
  ]);
  expect(receiver.received[0]?.headers).toMatchObject({
    'x-a2a-version': '1.0',
    'x-message-id': told()[0]?.messageId,
  });
});

test('a message that comes again under its id begins nothing, also when both come at once', async () => {
  const proposal = delegation('propose', { mutations: [add('urn:once', `${schemaOrg}name`, 'once')] });
  const both = await Promise.all([send(proposal), send(proposal)]);
  const taskIds = new Set(both.map(({ body }) => body.message.content.taskId));
  expect(taskIds.size).toBe(1);
  const again = await send({ ...proposal, timestamp: 1 });
  expect(again.body.message).toMatchObject({ type: 'task_result', content: { taskId: [...taskIds][0] } });
  const [found] = await database.run<{ tasks: number; updates: number }>(
    'READ',
    `RETURN COUNT { (:Task {id: $id}) } AS tasks, COUNT { (:Task {id: $id})-[:MADE]->(:Update) } AS updates`,
    { id: [...taskIds][0] },
  );
  expect(found).toEqual({ tasks: 1, updates: 1 });
  const other = await send({ ...delegation('query', query), messageId: proposal.messageId });
  expect([other.status, other.body.message.content]).toMatchObject([
    400,
    { code: 'invalid_message', retryable: false, details: { reason: 'message-id-taken' } },
  ]);
  const ofAnother = { ...delegation('query', query), messageId: proposal.messageId };
  const sent = await send({ ...ofAnother, from: { agentId: 'bert' } }, as('bert'));
  expect(sent.body.message.content.taskId).not.toBe([...taskIds][0]);
});

test('a message that was refused may come again under its id', async () => {
  const message = delegation('nothing', {});
  expect((await send(message)).body.message.content.code).toBe('capability_mismatch');
  const right = { ...delegation('query', query), messageId: message.messageId };
  expect((await send(right)).body.message.type).toBe('task_result');
});

test('what a skill refuses is a rejection, with the code and the reason', async () => {
  const { body } = await send(delegation('query', { nothing: 1 }));
  expect(body.message).toMatchObject({
    type: 'task_rejection',
    content: { code: 'invalid_message', retryable: false, details: { reason: 'invalid-params' } },
  });
  const failed = await send(delegation('query', { query: '{ nothing }' }));
  expect(failed.body.message).toMatchObject({
    type: 'task_result',
    content: { status: 'failed', error: { code: 'task_rejected', details: { reason: 'validation' } } },
  });
});

test('each of the skills is an agent, and a registered agent that is not there is not found', async () => {
  const single = await send({ ...delegation('Atlantis', {}), to: { agentId: 'explore' } });
  expect(single.body.message).toMatchObject({ type: 'task_result', content: { result: { entities: [] } } });
  expect(single.body.from.agentId).toBe('explore');
  const { status, body } = await send({ ...delegation('paint', {}), to: { agentId: 'nobody' } });
  expect([status, body.message.type, body.message.content.code]).toEqual([404, 'error', 'agent_not_found']);
});

test('a query is answered with a response: of a skill, or how a task stands', async () => {
  const { body } = await send(messageOf('query', query));
  expect(body.message).toMatchObject({ type: 'response', content: { status: 'completed', result: { data: {} } } });
  const { taskId } = body.message.content;
  const stands = await send(messageOf('query', { taskId }));
  expect(stands.body.message).toEqual(body.message);
  const foreign = await send(
    { ...messageOf('query', { taskId }), from: { agentId: 'bert' } },
    as('bert', { scope: 'tasks' }),
  );
  expect([foreign.status, foreign.body.message.content.code]).toEqual([404, 'invalid_message']);
});

test('a task that needs to know more asks, and goes on with the response once', async () => {
  const headers = as('rumour');
  const ofRumour = { from: { agentId: 'rumour' }, correlationId: 'held-1' };
  const mutations = [add('urn:held', `${schemaOrg}name`, 'held')];
  const held = await send({ ...delegation('propose', { mutations }), ...ofRumour }, headers);
  expect([held.status, held.body.message.type]).toEqual([200, 'query']);
  const { taskId, question } = held.body.message.content;
  expect(question).toEqual(expect.any(String));
  const answer = { ...messageOf('response', { taskId, data: { seen: true } }), ...ofRumour };
  const first = await send(answer, headers);
  expect(first.body.message).toMatchObject({ type: 'query', content: { taskId } });
  const again = await send(answer, headers);
  expect(again.body.message).toMatchObject({ type: 'query', content: { taskId } });
  const { result } = await call<{ history: { messageId: string }[] }>(
    service.url,
    'GetTask',
    { id: taskId },
    { ...headers, 'A2A-Version': '1.0' },
  );
  expect(result.history.filter(({ messageId }) => messageId === answer.messageId)).toHaveLength(1);
  const elsewhere = await send({ ...answer, messageId: 'another', correlationId: 'held-2' }, headers);
  expect(elsewhere.body.message.content).toMatchObject({
    code: 'task_rejected',
    details: { reason: 'unknown-correlation' },
  });
});

test('another tenant, another agent and who lacks the scope are refused, and nothing is kept of it', async () => {
  const refusals = [
    [{ ...delegation('query', query), groupId: 'green' }, as('anna'), 'foreign-tenant'],
    [{ ...delegation('query', query), from: { agentId: 'bert' } }, as('anna'), 'foreign-caller'],
    [delegation('query', query), as('anna', { scope: 'knowledge:query' }), 'missing-scope'],
  ] as const;
  for (const [message, headers, reason] of refusals) {
    const { status, body } = await send(message, headers);
    expect([status, body.message.type]).toEqual([403, 'error']);
    expect(body.message.content).toMatchObject({ code: 'task_rejected', retryable: false, details: { reason } });
    const found = await database.run('READ', 'MATCH (e:AgentEvent {messageId: $id}) RETURN e', {
      id: message.messageId,
    });
    expect(found).toEqual([]);
  }
  const stranger = await send(delegation('query', query), {});
  expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringMatching(/^Bearer realm="concord"/),
  ]);
  // In a tenant of its own, the same ids are free.
  const elsewhere = await send({ ...delegation('query', query), groupId: 'green' }, as('anna', { tenant: 'green' }));
  expect(elsewhere.body).toMatchObject({ groupId: 'green', message: { type: 'task_result' } });
});

const faulty: [string, object | string, number, string][] = [
  ['no JSON', '{', 400, 'Invalid JSON'],
  ['a list', '[]', 400, ''],
  ['a wrong version', { ...messageOf('query', query), version: '2.0' }, 400, 'version'],
  ['no id', { ...messageOf('query', query), messageId: '' }, 400, 'messageId'],
  ['an id with a line break', { ...messageOf('query', query), messageId: 'a\nb' }, 400, 'messageId'],
  ['an unknown type', messageOf('song', {}), 400, 'message.type'],
  ['no content', messageOf('task_delegation', undefined), 400, 'message.content'],
  ['a time that is none', { ...messageOf('query', query), timestamp: 'now' }, 400, 'timestamp'],
  ['more attempts than there may be', retrying(11), 400, 'metadata.retryPolicy.maxRetries'],
  ['a step of nobody', coordination({ participants: ['a'] }), 400, 'message.content.workflow.steps[0].agent'],
  ['a body that is too long', messageOf('query', 'x'.repeat(200_000)), 413, ''],
  ['a body that is too deep', `${'['.repeat(101)}${']'.repeat(101)}`, 400, ''],
];

function retrying(maxRetries: number) {
  return { ...messageOf('query', query), metadata: { retryPolicy: { maxRetries, backoff: 'linear' } } };
}

function coordination(more: object = {}) {
  return messageOf('coordination', { workflow: { steps: [{ agent: 'concord', task: 'query' }] }, ...more });
}

test.each(faulty)('%s is an invalid message', async (_kind, message, status, path) => {
  const { body, ...reply } = await send(message);
  expect([reply.status, body.version, body.message.type, body.message.content.code]).toEqual([
    ...[status, '1.0', 'error', 'invalid_message'],
  ]);
  const [issue] = body.message.content.details.issues ?? [];
  if (path.includes('.') || issue) expect(issue?.path ?? '').toContain(path);
});

test('headers that say otherwise than the message are an invalid message', async () => {
  for (const [name, value] of Object.entries({ 'X-A2A-Version': '0.9', 'X-Message-Id': 'another' })) {
    const { status, body } = await send(messageOf('query', query), { ...as('anna'), [name]: value });
    expect([status, body.message.content.code]).toEqual([400, 'invalid_message']);
  }
});

test('a callback that is private is refused, and no task is begun', async () => {
  const message = delegation('query', query, { callback: 'https://10.0.0.7/hook' });
  const { status, body } = await send(message);
  expect([status, body.message.content]).toMatchObject([
    400,
    { code: 'invalid_message', details: { reason: 'refused-address' } },
  ]);
  const [found] = await database.run('READ', 'RETURN COUNT { (:Task {contextId: $id}) } AS tasks', {
    id: message.messageId,
  });
  expect(found).toEqual({ tasks: 0 });
});

test('what is over before it begins is a timeout', async () => {
  const { body } = await send(delegation('query', query, { deadline: Date.now() - 1_000 }));
  expect(body.message.content).toMatchObject({ code: 'timeout', details: { reason: 'delegation-deadline' } });
});

test('answers to what nobody has asked are refused', async () => {
  const types = ['task_acceptance', 'task_rejection', 'task_result', 'status_update', 'error'];
  for (const type of types) {
    const { body } = await send(messageOf(type, { taskId: 'x', status: 'completed' }, { correlationId: 'never' }));
    expect(body.message.content).toMatchObject({
      code: 'task_rejected',
      details: { reason: 'unknown-correlation' },
    });
  }
});

test('messages are events, found by agent, time and conversation, with their connections', async () => {
  const before = new Date().toISOString();
  const message = { ...delegation('query', query), correlationId: 'events-1', metadata: { priority: 'low' } };
  const { body } = await send(message);
  const events = await eventsOf({ correlationId: 'events-1' });
  expect(events.map(({ type, messageType }) => [type, messageType]).toSorted()).toEqual([
    ['a2a_message_received', 'task_delegation'],
    ['a2a_message_sent', 'task_result'],
    ['a2a_task_completed', 'task_result'],
    ['a2a_task_delegated', 'task_delegation'],
  ]);
  expect(events.find(({ type }) => type === 'a2a_message_received')).toMatchObject({
    ...{ from: 'anna', to: 'concord', messageId: message.messageId, priority: 'low' },
    taskId: body.message.content.taskId,
  });
  expect(await eventsOf({ agent: 'anna', since: before })).toEqual(events);
  expect(await eventsOf({ until: before, correlationId: 'events-1' })).toEqual([]);
  expect(await eventsOf({ type: 'a2a_task_completed', first: '1' })).toMatchObject([{ messageId: body.messageId }]);
  // The scope is not enough to see those of others.
  expect(await eventsOf({ agent: 'anna' }, as('bert', { scope: 'tasks' }))).toEqual([]);
  expect(await eventsOf({ agent: 'anna', since: before }, as('ruth', { scope: 'tasks admin' }))).toEqual(events);
  expect(await eventsOf({ agent: 'anna' }, as('ruth', { tenant: 'red' }))).toEqual([]);
  const edges = await database.run(
    'READ',
    `MATCH (t:Task {id: $id})<-[:OF_TASK]-(e:AgentEvent)
     RETURN e.type AS type, [(e)-[r:SENT_BY|SENT_TO]->(a:Agent {tenant: "blue"}) | type(r) + ' ' + a.id] AS agents
     ORDER BY type`,
    { id: body.message.content.taskId },
  );
  expect(edges).toEqual([
    { type: 'a2a_message_received', agents: ['SENT_BY anna'] },
    { type: 'a2a_message_sent', agents: ['SENT_TO anna'] },
    { type: 'a2a_task_completed', agents: [] },
    { type: 'a2a_task_delegated', agents: [] },
  ]);
});

test('who knows the messageId of another cannot take the id of the task that it begins', async () => {
  const message = delegation('query', query);
  const hex = createHash('sha256')
    .update(JSON.stringify(['one', 'anna', message.messageId]))
    .digest('hex');
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  const part = { type: 'data', data: { skill: 'query', ...query } };
  const taken = await call(service.url, 'tasks/send', { id, message: { role: 'user', parts: [part] } }, as('bob'));
  expect(taken.error).toBeUndefined();
  const { body } = await send(message);
  expect(body.message).toMatchObject({ type: 'task_result', content: { status: 'completed' } });
  const again = await send(message);
  expect(again.body.message.content.taskId).toBe(body.message.content.taskId);
});
