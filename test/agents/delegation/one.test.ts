import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { TaskJson } from '../../a2a/tasks.ts';
import { eventually } from '../../a2a/testService.ts';
import { type Message, messageOf, post } from '../../dialects/one/client.ts';
import { bearerOf, identities } from '../../support/identities.ts';
import { call, startServiceOnGraph } from '../../support/service.ts';
import { useService } from '../../support/setUp.ts';
import { type OneAgent, replied, startOneAgent } from './oneAgent.ts';

const settings = {
  ...identities,
  ...{ TENANTS: 'blue,green', AGENT_ALLOW: '127.0.0.1', DELEGATION_ANSWER_MS: '3000' },
};
const service = useService(settings);
const as = (sub: string, { tenant = 'blue', ...more }: Record<string, string> = {}) =>
  bearerOf({ tenant, sub, ...more });
const of10 = { 'A2A-Version': '1.0' };

let painter: OneAgent;
let other: OneAgent;
let usual: OneAgent['answer'];
beforeAll(async () => {
  painter = await startOneAgent('painter', ['paint'], as('painter'));
  other = await startOneAgent('other', ['sing'], as('other'));
  usual = painter.answer;
  for (const [id, { card }] of Object.entries({ painter, other })) {
    const { result } = await call(service.url, 'agents/register', { card }, as(id));
    expect(result).toMatchObject({ id, protocol: 'one', endpoints: [{ url: card.endpoint, binding: 'HTTP' }] });
  }
});
afterAll(async () => {
  await Promise.all([painter?.close(), other?.close()]);
});
beforeEach(() => {
  painter.answer = usual;
  painter.got.length = 0;
  painter.headers.length = 0;
});

type Task = TaskJson & { artifacts?: { parts: { text?: string; data?: object }[] }[] };
const stateOf = ({ status }: Task) => status.state.replace('TASK_STATE_', '');
const saidBy = ({ status }: Task) => status.message?.parts[0]?.text ?? '';
const errorOf = ({ status }: Task) =>
  (status.message?.parts[1]?.data as { error?: { data: unknown } } | undefined)?.error;

/** Sends a message of A2A 1.0 to Concord. */
async function send(parts: object[], more: object = {}, returnImmediately = true): Promise<Task> {
  const message = { messageId: `m-${Math.random()}`, role: 'ROLE_USER', parts, ...more };
  const params = { message, configuration: { returnImmediately } };
  const { result, error } = await call<{ task: Task }>(service.url, 'SendMessage', params, { ...as('anna'), ...of10 });
  expect(error).toBeUndefined();
  return result.task;
}
const delegate = (input: object, returnImmediately = true) =>
  send([{ data: { skill: 'delegate', ...input } }], {}, returnImmediately);

async function read({ id }: Pick<Task, 'id'>): Promise<Task> {
  return (await call<Task>(service.url, 'GetTask', { id }, { ...as('anna'), ...of10 })).result;
}

async function until(task: Task, state: string): Promise<Task> {
  let found = task;
  await eventually(async () => {
    found = await read(task);
    return stateOf(found) === state;
  });
  return found;
}

/** The message that the agent gets. */
async function asked(at = 0): Promise<Message> {
  await eventually(() => painter.got.length > at);
  return painter.got[at] as Message;
}

async function eventTypes(correlationId: string): Promise<string[]> {
  const response = await fetch(`${service.url}/a2a/messages?correlationId=${correlationId}`, { headers: as('anna') });
  const { events } = (await response.json()) as { events: { type: string; messageType: string }[] };
  return events.map(({ type, messageType }) => `${type} ${messageType}`).toSorted();
}

test('an agent of ONE is delegated to, and what it says in messages of its own becomes the task', async () => {
  const deadline = new Date(Date.now() + 60_000).toISOString();
  const parameters = { country: 'Atlantis' };
  const task = await delegate({
    capability: 'paint',
    task: 'paint',
    parameters,
    message: 'Big',
    priority: 'high',
    deadline,
  });
  const got = await asked();
  const { callback, ...content } = got.message.content;
  expect(got).toMatchObject({
    ...{ version: '1.0', groupId: 'blue', from: { agentId: 'concord' }, to: { agentId: 'painter' } },
    message: { type: 'task_delegation' },
    metadata: { priority: 'high', 'concord.delegation': { hops: ['anna', 'painter'] } },
  });
  expect(content).toEqual({ task: 'paint', parameters, message: 'Big', deadline: Date.parse(deadline) });
  expect(callback).toBe(`${service.url}/a2a/messages`);
  expect(painter.headers[0]).toMatchObject({ 'x-a2a-version': '1.0', 'x-message-id': got.messageId });
  await painter.say(service.url, got, 'status_update', { taskId: 'theirs', progress: 40, message: 'Nearly' });
  await eventually(async () => saidBy(await read(task)) === 'Nearly');
  const end = await painter.say(service.url, got, 'task_result', { status: 'completed', result: { flag: 'blue' } });
  expect([end.status, end.body.message]).toMatchObject([200, { type: 'response', content: { received: true } }]);
  const done = await until(task, 'COMPLETED');
  expect(done.artifacts?.map(({ parts }) => parts.map(({ data }) => data))).toEqual([[{ flag: 'blue' }]]);
  expect(await eventTypes(got.correlationId)).toEqual([
    'a2a_message_received status_update',
    'a2a_message_received task_acceptance',
    'a2a_message_received task_result',
    'a2a_message_sent response',
    'a2a_message_sent response',
    'a2a_message_sent task_delegation',
    'a2a_task_completed task_result',
    'a2a_task_delegated task_delegation',
  ]);
});

test('an agent that answers at once needs no callback, and one that says nothing has taken it', async () => {
  painter.answer = (got, response) =>
    replied(response, painter.saying(got, 'task_result', { status: 'completed', result: 'Done' }));
  const task = await delegate({ to: 'painter', message: 'Hello' }, false);
  expect([stateOf(task), task.artifacts?.[0]?.parts[0]?.text]).toEqual(['COMPLETED', 'Done']);
  painter.answer = (_got, response) => response.writeHead(202).end();
  const silent = await delegate({ to: 'painter', message: 'Hello' });
  await painter.say(service.url, await asked(1), 'task_result', { status: 'completed', result: 'Later' });
  expect((await until(silent, 'COMPLETED')).artifacts?.[0]?.parts[0]?.text).toBe('Later');
});

test('what it needs to know is asked here, and the answer goes to its own task, once', async () => {
  const task = await delegate({ to: 'painter', message: 'A flag' });
  const got = await asked();
  const question = { taskId: 'theirs', question: 'In which colours?', data: { choice: ['blue', 'red'] } };
  await painter.say(service.url, got, 'query', question);
  const waiting = await until(task, 'INPUT_REQUIRED');
  expect(saidBy(waiting)).toBe('In which colours?');
  await send([{ text: 'blue' }], { taskId: task.id });
  const answer = await asked(1);
  expect(answer).toMatchObject({
    correlationId: got.correlationId,
    message: { type: 'response', content: { taskId: 'theirs', answer: 'blue' } },
  });
  await painter.say(service.url, got, 'task_result', { taskId: 'theirs', status: 'completed', result: 'A blue flag' });
  expect((await until(task, 'COMPLETED')).artifacts?.[0]?.parts[0]?.text).toBe('A blue flag');
  expect(painter.got).toHaveLength(2);
});

type Faulty = [string, (got: Message) => [object | undefined, number?], Record<string, unknown>];
const faulty: Faulty[] = [
  ['a rejection', (got) => [painter.saying(got, 'task_rejection', { message: 'No' })], { reason: 'agent-refused' }],
  [
    'an error',
    (got) => [painter.saying(got, 'error', { code: 'timeout', message: 'Busy', retryable: true }), 400],
    { reason: 'agent-refused', agentCode: 'timeout', retryable: true },
  ],
  [
    'a failure',
    (got) => [painter.saying(got, 'task_result', { status: 'failed', error: { code: 'x', message: 'Torn' } })],
    { reason: 'agent-failed' },
  ],
  [
    'another conversation',
    (got) => [{ ...painter.saying(got, 'task_acceptance', {}), correlationId: 'x' }],
    { reason: 'agent-answer' },
  ],
  [
    'the word of another agent',
    (got) => [painter.saying(got, 'task_acceptance', {}, { from: { agentId: 'other' } })],
    { reason: 'agent-answer' },
  ],
  [
    'another version',
    (got) => [painter.saying(got, 'task_acceptance', {}, { version: '9' })],
    { reason: 'agent-answer' },
  ],
  ['what is no message', () => [{ ok: true }], { reason: 'agent-answer' }],
  ['a status of its own fault', () => [{}, 500], { reason: 'agent-unreachable' }],
];
test.each(faulty)('%s ends the delegation with its error', async (_kind, answerTo, error) => {
  painter.answer = (got, response) => replied(response, ...answerTo(got));
  const task = await delegate({ to: 'painter', message: 'A flag' }, false);
  expect([stateOf(task), errorOf(task)?.data]).toMatchObject(['FAILED', error]);
});

test('an answer in the conversation of another, of another agent, tenant or after the end is refused', async () => {
  const task = await delegate({ to: 'painter', message: 'A flag' });
  const got = await asked();
  const end = { status: 'completed', result: 'False' };
  const refused = { type: 'error', content: { code: 'task_rejected', details: { reason: 'unknown-correlation' } } };
  const answers = [
    await painter.say(service.url, got, 'task_result', end, { correlationId: 'of-another' }),
    await other.say(service.url, got, 'task_result', end),
    await post(
      service.url,
      painter.saying(got, 'task_result', end, { groupId: 'green' }),
      as('painter', { tenant: 'green' }),
    ),
  ];
  for (const { body } of answers) expect(body.message).toMatchObject(refused);
  const foreign = await post(service.url, painter.saying(got, 'task_result', end), as('other'));
  expect(foreign.body.message.content.details.reason).toBe('foreign-caller');
  expect(stateOf(await read(task))).toBe('WORKING');
  const right = painter.saying(got, 'task_result', { status: 'completed', result: 'True' });
  const both = await Promise.all([right, right].map((message) => post(service.url, message, as('painter'))));
  expect(both[0]?.body.message.type).toBe('response');
  const done = await until(task, 'COMPLETED');
  expect(done.artifacts?.[0]?.parts[0]?.text).toBe('True');
  // That it has ended is told a moment before it is written.
  await eventually(async () => {
    const { body } = await painter.say(service.url, got, 'task_result', end);
    return body.message.content.details?.reason === 'unknown-correlation';
  });
  expect((await read(task)).artifacts?.[0]?.parts[0]?.text).toBe('True');
});

test('what an agent says in one conversation has 20,000,000 characters, for all of it is read each time', async () => {
  const task = await delegate({ to: 'painter', message: 'A flag' });
  const got = await asked();
  const long = { message: 'x'.repeat(7_000_000) };
  // Also where several come at once, each of which alone would be within the bound.
  const said = await Promise.all([1, 2, 3, 4].map(() => painter.say(service.url, got, 'status_update', long)));
  const answers = said.map(({ body }) => body.message).sort((one, other) => other.type.localeCompare(one.type));
  expect(answers.map(({ type }) => type)).toEqual(['response', 'response', 'error', 'error']);
  expect(answers[3]?.content.details).toMatchObject({ reason: 'too-many-requests', limit: 20_000_000 });
  await painter.say(service.url, got, 'task_result', { status: 'completed', result: 'True' });
  await until(task, 'COMPLETED');
});

test('an answer that comes to another replica reaches the one that waits', async () => {
  const task = await delegate({ to: 'painter', message: 'A flag' });
  const got = await asked();
  const second = await startServiceOnGraph(settings);
  try {
    const { status } = await painter.say(second.url, got, 'task_result', { status: 'completed', result: 'From afar' });
    expect(status).toBe(200);
    expect((await until(task, 'COMPLETED')).artifacts?.[0]?.parts[0]?.text).toBe('From afar');
  } finally {
    await second.close();
  }
});

test('a message to a registered agent is handed on, and a coordination is a workflow of its agents and skills', async () => {
  painter.answer = (got, response) =>
    replied(
      response,
      painter.saying(got, 'task_result', { status: 'completed', result: { got: got.message.content.parameters } }),
    );
  const delegation = messageOf(
    'task_delegation',
    { task: 'paint', parameters: { a: 1 } },
    { to: { agentId: 'painter' } },
  );
  const { body } = await post(
    service.url,
    { ...delegation, metadata: { priority: 'low', timeout: 20_000 } },
    as('anna'),
  );
  expect(body.message).toMatchObject({
    type: 'task_result',
    content: { status: 'completed', result: { got: { a: 1 } } },
  });
  expect(painter.got[0]).toMatchObject({ metadata: { priority: 'low' } });
  expect(painter.got[0]?.metadata).not.toHaveProperty(['concord.one']);
  const steps = [
    { agent: 'concord', task: 'query', parameters: { query: '{ entities(limit: 1) { id } }' } },
    { agent: 'painter', task: 'paint', depends: ['concord'], parameters: { found: { $result: 'concord' } } },
  ];
  const workflow = messageOf('coordination', {
    coordinator: 'anna',
    participants: ['concord', 'painter'],
    workflow: { steps },
  });
  const ended = await post(service.url, workflow, as('anna'));
  expect(ended.body.message).toMatchObject({
    type: 'task_result',
    content: { status: 'completed', result: { results: { painter: { got: { found: { data: { entities: [] } } } } } } },
  });
  const circle = [
    { agent: 'painter', task: 'paint', depends: ['other'] },
    { agent: 'other', task: 'sing', depends: ['painter'] },
  ];
  const wrong = await post(service.url, messageOf('coordination', { workflow: { steps: circle } }), as('anna'));
  expect(wrong.body.message).toMatchObject({
    type: 'task_rejection',
    content: { code: 'invalid_message', details: { reason: 'workflow-invalid' } },
  });
});
