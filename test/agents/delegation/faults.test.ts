import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type ConcordClient, connect } from '../../../src/client/index.ts';
import type { Task } from '../../../src/client/taskTypes.ts';
import { eventually } from '../../a2a/testService.ts';
import { startServiceOnGraph } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';
import { startReplica } from '../../tasks/running/replicaProcess.ts';
import { type Got, type OddAgent, replied, result, startOddAgent, streaming, taskJson } from './workers.ts';

const settings = {
  AGENT_ALLOW: '127.0.0.1',
  DELEGATION_ANSWER_MS: '1500',
  TASK_MAX_ARTIFACT_BYTES: '100000',
  AGENT_SECRETS_KEY: 'a secret of thirty-two characters or so',
};
const service = useService(settings);
const database = useDatabase();

let concord: ConcordClient;
let plain: OddAgent;
let streams: OddAgent;
beforeAll(async () => {
  concord = await connect(service.url);
  plain = await startOddAgent(false);
  streams = await startOddAgent(true);
  await concord.agents.register({
    ...{ id: 'plain', card: plain.card },
    credentials: { scheme: 'apiKey', key: 'the-key-of-the-agent' },
  });
  await concord.agents.register({ id: 'streams', card: streams.card });
  const legacy = {
    ...{ name: 'Legacy', url: plain.url, protocolVersion: '0.3.0', version: '1' },
    ...{ capabilities: { streaming: false }, skills: [] },
  };
  await concord.agents.register({ id: 'legacy', card: legacy });
});
afterAll(() => Promise.all([plain?.close(), streams?.close()]));
beforeEach(() => {
  for (const agent of [plain, streams]) {
    agent.got.length = 0;
    agent.headers.length = 0;
    agent.answers.clear();
  }
});

const faultOf = ({ status }: Task) =>
  (status.message?.parts[1]?.data as { error?: { data: Record<string, unknown> } } | undefined)?.error?.data;
const methodsOf = ({ got }: OddAgent) => got.map(({ method }) => method);
const textsOf = ({ artifacts }: Task) => artifacts?.flatMap(({ parts }) => parts.map(({ text }) => text));
const artifact = (text: string) => ({ artifactId: 'a', name: 'a', parts: [{ text }] });
const answering =
  (state: string, more: object = {}) =>
  (got: Got, response: ServerResponse) =>
    replied(response, result(got, { task: taskJson('t1', state, more) }));
const told =
  (state: string, more: object = {}) =>
  (got: Got, response: ServerResponse) =>
    replied(response, result(got, taskJson('t1', state, more)));
const sent = (to: string, more: object = {}) => concord.delegate({ to, message: 'go', ...more });

test('an agent is called with its credentials, and with the id of a message that is kept', async () => {
  plain.answers.set('SendMessage', answering('COMPLETED', { artifacts: [artifact('done')] }));
  const task = await sent('plain');
  expect([task.status.state, textsOf(task)]).toEqual(['TASK_STATE_COMPLETED', ['done']]);
  expect(plain.headers[0]).toMatchObject({ 'x-api-key': 'the-key-of-the-agent', 'a2a-version': '1.0' });
  const [row] = await database.run<{ id: string }>(
    'READ',
    'MATCH (:Task {id: $id})-[d:DELEGATED_TO]->() RETURN d.messageId AS id',
    { id: task.id },
  );
  expect(plain.got[0]?.params.message?.messageId).toBe(row?.id);
});

test('an agent that never answers ends the task, and may be tried again', async () => {
  plain.answers.set('SendMessage', () => {});
  expect(faultOf(await sent('plain'))).toMatchObject({ reason: 'agent-unreachable', retryable: true });
  streams.answers.set('SendStreamingMessage', (got, response) => void streaming(got, response));
  expect(faultOf(await sent('streams'))).toMatchObject({ reason: 'agent-unreachable' });
});

test('what an agent says after its answer is not heard', async () => {
  streams.answers.set('SendStreamingMessage', (got, response) => {
    const say = streaming(got, response);
    say({ task: taskJson('t1', 'COMPLETED', { artifacts: [artifact('first')] }) });
    say({ task: taskJson('t1', 'FAILED', { artifacts: [artifact('second')] }) });
    response.end();
  });
  const task = await sent('streams');
  expect([task.status.state, textsOf(task)]).toEqual(['TASK_STATE_COMPLETED', ['first']]);
});

test.each<[string, string, string, (got: Got, response: ServerResponse) => void]>([
  [
    'of another request',
    'plain',
    'SendMessage',
    (got, response) => replied(response, result({ ...got, id: 'another' }, { task: taskJson('t1', 'COMPLETED') })),
  ],
  ['of no protocol', 'plain', 'SendMessage', (_, response) => replied(response, { hello: 'world' })],
  ['of no state', 'plain', 'SendMessage', answering('UNHEARD_OF')],
  [
    'nested without end',
    'plain',
    'SendMessage',
    (_, response) => response.end(`{"jsonrpc": "2.0", "result": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`),
  ],
  ['without an end', 'plain', 'SendMessage', (_, response) => response.end('x'.repeat(2_000_000))],
  [
    'no stream, though its card says so',
    'streams',
    'SendStreamingMessage',
    (_, response) => replied(response, { ok: true }),
  ],
  [
    'of another task within its stream',
    'streams',
    'SendStreamingMessage',
    (got, response) => {
      const say = streaming(got, response);
      say({ task: taskJson('t1', 'WORKING') });
      say({ statusUpdate: { taskId: 't2', contextId: 'theirs', status: { state: 'TASK_STATE_COMPLETED' } } });
    },
  ],
])('an answer that is %s fails the task', async (_, to, method, answer) => {
  (to === 'plain' ? plain : streams).answers.set(method, answer);
  expect(faultOf(await sent(to))).toMatchObject({ reason: 'agent-answer', retryable: false });
});

test('an agent that is asked for one task and answers with another fails the task', async () => {
  plain.answers.set('SendMessage', answering('WORKING'));
  plain.answers.set('GetTask', (got, response) => replied(response, result(got, taskJson('t2', 'COMPLETED'))));
  plain.answers.set('CancelTask', told('CANCELED'));
  expect(faultOf(await sent('plain'))).toMatchObject({ reason: 'agent-answer' });
  await eventually(() => methodsOf(plain).includes('CancelTask'));
});

test('a stream that breaks off within an event is followed by asking', async () => {
  streams.answers.set('SendStreamingMessage', (got, response) => {
    streaming(got, response)({ task: taskJson('t1', 'WORKING') });
    response.end('data: {"jsonrpc": "2.0", "id"');
  });
  streams.answers.set('GetTask', told('COMPLETED', { artifacts: [artifact('whole')] }));
  const task = await sent('streams');
  expect([task.status.state, textsOf(task)]).toEqual(['TASK_STATE_COMPLETED', ['whole']]);
});

test('an agent that dies between its acceptance and its result is lost, and says so', async () => {
  const brief = await startOddAgent(false);
  await concord.agents.register({ id: 'brief', card: brief.card });
  brief.answers.set('SendMessage', (got, response) => {
    answering('WORKING')(got, response);
    response.on('finish', () => void brief.close());
  });
  expect(faultOf(await sent('brief'))).toMatchObject({ reason: 'agent-lost', retryable: true });

  plain.answers.set('SendMessage', answering('WORKING'));
  plain.answers.set('GetTask', (got, response) =>
    replied(response, { jsonrpc: '2.0', id: got.id, error: { code: -32001, message: 'No such task' } }),
  );
  expect(faultOf(await sent('plain'))).toMatchObject({ reason: 'agent-lost' });
});

test('an agent that is overloaded is tried again', async () => {
  let times = 0;
  plain.answers.set('SendMessage', (got, response) => {
    times += 1;
    if (times === 1) response.writeHead(503).end();
    else answering('COMPLETED')(got, response);
  });
  const task = await sent('plain', { retry: { max: 1 } });
  expect([task.status.state, times]).toEqual(['TASK_STATE_COMPLETED', 2]);
  expect(new Set(plain.got.flatMap(({ params }) => params.message?.messageId ?? [])).size).toBe(2);
});

test('a rejection, an error and a redirect are told, and not tried again', async () => {
  const retry = { max: 3 };
  plain.answers.set('SendMessage', answering('REJECTED'));
  expect(faultOf(await sent('plain', { retry }))).toMatchObject({ reason: 'agent-refused', retryable: false });
  plain.answers.delete('SendMessage');
  expect(faultOf(await sent('plain', { retry }))).toMatchObject({ reason: 'agent-refused', agentCode: -32601 });
  plain.answers.set('SendMessage', (_, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  );
  expect(faultOf(await sent('plain', { retry }))).toMatchObject({ reason: 'agent-refused', status: 302 });
  expect(plain.got).toHaveLength(3);
});

test('an agent at a private address is not called', async () => {
  const supportedInterfaces = [{ url: 'http://10.0.0.1/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
  await concord.agents.register({ id: 'private', card: { ...plain.card, supportedInterfaces } });
  expect(faultOf(await sent('private'))).toMatchObject({ reason: 'refused-address' });
});

test('what an agent makes is bounded, and it is told to stop', async () => {
  streams.answers.set('SendStreamingMessage', (got, response) => {
    const say = streaming(got, response);
    say({ task: taskJson('t1', 'WORKING') });
    const parts = [{ text: 'x'.repeat(20_000) }];
    for (let n = 0; n < 8; n++)
      say({
        artifactUpdate: { taskId: 't1', contextId: 'theirs', artifact: { artifactId: 'a', parts }, append: n > 0 },
      });
  });
  streams.answers.set('CancelTask', told('CANCELED'));
  expect(faultOf(await sent('streams'))).toMatchObject({ reason: 'artifact-too-large', limit: 100_000 });
  await eventually(() => methodsOf(streams).includes('CancelTask'));
});

describe('a task whose replica is gone', () => {
  /** A task that a replica has left behind, with what was kept of it. */
  async function left(to: string, kept: { state: string; remoteTaskId: string | null }): Promise<string> {
    const { id } = await sent(to);
    await database.run(
      'WRITE',
      `MATCH (t:Task {id: $id})-[d:DELEGATED_TO]->()
       SET t.state = 'WORKING', t.replica = 'dead', t.leaseUntil = datetime() - duration('PT1S'),
         d.state = $state, d.remoteTaskId = $remoteTaskId`,
      { id, ...kept },
    );
    return id;
  }
  const ended = async (id: string) => {
    await eventually(async () => !/WORKING/.test((await concord.tasks.get(id)).status.state));
    return concord.tasks.get(id);
  };

  test('is taken up by another, which asks the agent and sends nothing', async () => {
    plain.answers.set('SendMessage', answering('INPUT_REQUIRED'));
    plain.answers.set('GetTask', told('COMPLETED', { artifacts: [artifact('made meanwhile')] }));
    const task = await ended(await left('plain', { state: 'following', remoteTaskId: 't1' }));
    expect([task.status.state, textsOf(task)]).toEqual(['TASK_STATE_COMPLETED', ['made meanwhile']]);
    expect(methodsOf(plain)).toEqual(['SendMessage', 'GetTask']);
  });

  test('is looked for at the agent where its answer was lost', async () => {
    plain.answers.set('SendMessage', answering('INPUT_REQUIRED'));
    plain.answers.set('ListTasks', (got, response) => {
      const { contextId } = got.params as { contextId?: string };
      replied(response, result(got, { tasks: [{ ...taskJson('t9', 'WORKING'), contextId }], totalSize: 1 }));
    });
    plain.answers.set('GetTask', (got, response) => replied(response, result(got, taskJson('t9', 'COMPLETED'))));
    const task = await ended(await left('plain', { state: 'sending', remoteTaskId: null }));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(methodsOf(plain)).toEqual(['SendMessage', 'ListTasks', 'GetTask']);
  });

  test('is sent under the id that was chosen before where the agent has none of it', async () => {
    plain.answers.set('SendMessage', answering('INPUT_REQUIRED'));
    plain.answers.set('ListTasks', (got, response) => replied(response, result(got, { tasks: [], totalSize: 0 })));
    const id = await left('plain', { state: 'sending', remoteTaskId: null });
    plain.answers.set('SendMessage', answering('COMPLETED'));
    expect((await ended(id)).status.state).toBe('TASK_STATE_COMPLETED');
    const ids = plain.got.map(({ params }) => params.message?.messageId).filter(Boolean);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });

  test('fails where the agent cannot be asked whether it has it', async () => {
    plain.answers.set('message/send', (got, response) =>
      replied(response, result(got, { kind: 'task', id: 't1', contextId: 'c', status: { state: 'input-required' } })),
    );
    const task = await ended(await left('legacy', { state: 'sending', remoteTaskId: null }));
    expect(faultOf(task)).toMatchObject({ reason: 'delegation-unknown', retryable: false });
  });

  test('goes on at another when it closes', async () => {
    const other = await startServiceOnGraph({ ...settings });
    plain.answers.set('SendMessage', answering('WORKING'));
    plain.answers.set('GetTask', told('WORKING'));
    const { task } = await (await connect(other.url)).tasks.send(
      [{ data: { skill: 'delegate', to: 'plain', message: 'go' } }],
      { returnImmediately: true },
    );
    await eventually(() => methodsOf(plain).includes('GetTask'));
    await other.close();
    plain.answers.set('GetTask', told('COMPLETED'));
    expect((await ended(task?.id ?? '')).status.state).toBe('TASK_STATE_COMPLETED');
    expect(methodsOf(plain).filter((method) => method !== 'GetTask')).toEqual(['SendMessage']);
  });

  test('goes on at another when its process is killed, and is sent once', async () => {
    const other = await startReplica({ ...settings, REPLICA_SKILLS: 'own' });
    plain.answers.set('SendMessage', answering('WORKING'));
    plain.answers.set('GetTask', told('WORKING'));
    plain.answers.set('ListTasks', (got, response) => {
      const { contextId } = got.params as { contextId?: string };
      replied(response, result(got, { tasks: [{ ...taskJson('t1', 'WORKING'), contextId }], totalSize: 1 }));
    });
    const { task } = await (await connect(other.url)).tasks.send(
      [{ data: { skill: 'delegate', to: 'plain', message: 'go' } }],
      { returnImmediately: true },
    );
    const id = task?.id ?? '';
    await eventually(() => methodsOf(plain).includes('GetTask'));
    await other.kill();
    plain.answers.set('GetTask', told('COMPLETED', { artifacts: [artifact('made meanwhile')] }));
    // Its lease ends by itself in fifteen seconds.
    await database.run('WRITE', 'MATCH (t:Task {id: $id}) SET t.leaseUntil = datetime() - duration("PT1S")', { id });
    const { status, ...rest } = await ended(id);
    expect([status.state, textsOf({ status, ...rest })]).toEqual(['TASK_STATE_COMPLETED', ['made meanwhile']]);
    expect(methodsOf(plain).filter((method) => method.startsWith('Send'))).toEqual(['SendMessage']);
  });
});
