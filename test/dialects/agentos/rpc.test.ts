import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { signedUpdate } from '../../../src/skills/signedUpdate.ts';
import { byName, message, type TaskJson, testSkills } from '../../a2a/tasks.ts';
import { call, eventually, json, startTestService, type TestService } from '../../a2a/testService.ts';
import { type Answer, post, run } from './client.ts';
import { check } from './schemas.ts';

let service: TestService;
let skills: ReturnType<typeof testSkills>;
beforeEach(async () => {
  skills = testSkills();
  service = await startTestService({
    settings: { SHUTDOWN_MS: '200', MAX_BODY_BYTES: '100000', TASK_MAX_CONCURRENT: '2' },
    skills: skills.skills,
    a2a: { authenticate: byName },
  });
});
afterEach(() => service.close());

const ana = { Authorization: 'Bearer ana' };
const at = (agent: string) => `${service.url}/${agent}`;

test('an agent has a card for strangers too; what is no agent has none', async () => {
  const cardOf = (agent: string) => fetch(`${at(agent)}/.well-known/agent-card.json`);
  const whole = await json<{ id: string; skills: { name: string }[] }>(cardOf('concord'));
  check('card', whole);
  expect(whole.skills.map(({ name }) => name)).toEqual(Object.keys(skills.skills));
  const single = await json<typeof whole>(cardOf('echo'));
  check('card', single);
  expect([single.id, single.skills.map(({ name }) => name)]).toEqual(['echo', ['echo']]);
  expect((await cardOf('nobody')).status).toBe(404);
  // There, HTTP+JSON asks who it is before it looks further.
  expect((await cardOf('v1')).status).toBe(401);
});

test('a run is a task, which its caller reads over A2A', async () => {
  const context = { request_id: 'req_123', caller_id: 'ana', more: [1] };
  const { result } = await run(at('echo'), { task: 'Say it', context }, ana);
  expect(result).toMatchObject({ content: 'completed', tool_calls: [], task: { state: 'completed' } });
  expect(result?.artifacts.map(({ name, parts }) => [name, parts])).toEqual([
    ['output', [{ type: 'data', data: { more: [1] } }]],
  ]);
  const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...ana };
  const body = JSON.stringify(call('GetTask', { id: result?.task?.id }));
  const read = await json<{ result: TaskJson & { history: { messageId: string }[] } }>(service.post(body, { headers }));
  expect(read.result.history[0]?.messageId).toBe('req_123');
});

test('the agent of all skills runs the one that the context names', async () => {
  const { result } = await run(at('concord'), { task: 'x', context: { skill: 'echo', a: 1 } }, ana);
  expect(result?.artifacts[0]?.parts).toEqual([{ type: 'data', data: { a: 1 } }]);
  const { error } = await run(at('concord'), { task: 'x', context: { skill: 'nothing' } }, ana);
  expect(error).toMatchObject({ code: -32600, data: { details: expect.stringContaining('echo, ask, fail') } });
});

test('a text without a skill is a question, and is answered with what there is where nobody takes questions', async () => {
  const { result } = await run(at('concord'), { task: 'Which countries?' }, ana);
  expect(result?.task?.state).toBe('input-required');
  await service.close();
  service = await startTestService({ a2a: { authenticate: byName } });
  const said = await run(at('concord'), { task: 'Which countries?' }, ana);
  expect([said.result?.content, said.result?.task]).toEqual([expect.stringContaining('INTROSPECTION'), undefined]);
});

test('a run that fails, and one whose task is cancelled over A2A, are answered with an error that names the task', async () => {
  const failed = await run(at('fail'), { task: 'x' }, ana);
  expect(failed.error).toMatchObject({ code: -32603, data: { task: { state: 'failed' } } });
  expect(JSON.stringify(failed)).not.toContain('hunter2');
  const waiting = run(at('wait'), { task: 'x' }, ana);
  await eventually(() => skills.waiting.size === 1);
  const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...ana };
  const send = (method: string, params: object) =>
    json<{ result: { tasks: TaskJson[] } }>(service.post(JSON.stringify(call(method, params)), { headers }));
  const { result } = await send('ListTasks', { status: 'TASK_STATE_WORKING' });
  await send('CancelTask', { id: result.tasks[0]?.id });
  const { error } = await waiting;
  expect(error).toMatchObject({ code: -32004, data: { reason: 'task-cancelled', task: { id: result.tasks[0]?.id } } });
});

test('a missing task is an invalid request with the details, as are params of a wrong form', async () => {
  const detailsOf = async (params: unknown) => {
    const { error, status } = await run(at('echo'), params, ana);
    expect([status, error?.code, error?.message]).toEqual([200, -32600, 'Invalid Request']);
    return error?.data.details;
  };
  expect(await detailsOf({})).toBe("Missing required field 'task'");
  expect(await detailsOf(undefined)).toBe("Missing required field 'task'");
  expect(await detailsOf([])).toBe('params must be an object, not an array');
  expect(await detailsOf({ task: '' })).toContain('task is empty');
  expect(await detailsOf({ task: 7 })).toContain('task');
  expect(await detailsOf({ task: 'x', context: { request_id: 'x'.repeat(201) } })).toContain('context.request_id');
  expect(await detailsOf({ task: 'x', context: 'y' })).toContain('context');
});

test('what is no JSON-RPC is answered as JSON-RPC has it, with the details', async () => {
  const answerTo = async (body: string) => {
    const response = await post(at('echo'), body, ana);
    const { id, error } = await json<Answer>(response);
    expect(error?.data.details).not.toBe('');
    return [response.status, id, error?.code];
  };
  expect(await answerTo('{')).toEqual([200, null, -32700]);
  expect(await answerTo('')).toEqual([200, null, -32700]);
  expect(await answerTo('{"method":"run","id":7}')).toEqual([200, 7, -32600]);
  expect(await answerTo('{"jsonrpc":"2.0","method":"stop","id":7}')).toEqual([200, 7, -32601]);
  expect(await answerTo('[]')).toEqual([200, null, -32600]);
  expect(await answerTo(`{"jsonrpc":"2.0","method":"run","id":7,"params":{"task":"${'x'.repeat(100_000)}"}}`)).toEqual([
    413,
    null,
    -32600,
  ]);
  const notified = await post(at('echo'), '{"jsonrpc":"2.0","method":"run","params":{"task":"x"}}', ana);
  expect(notified.status).toBe(204);
  const batch = JSON.stringify([call('run', { task: 'x' }, 1), call('run', {}, 2)]);
  expect((await json<Answer[]>(post(at('echo'), batch, ana))).map(({ id, error }) => [id, error?.code])).toEqual([
    [1, undefined],
    [2, -32600],
  ]);
});

test('nobody calls under the name of another agent', async () => {
  const own = await run(at('echo'), { task: 'x' }, { ...ana, 'X-Agent-ID': 'ana' });
  expect(own.result?.task?.state).toBe('completed');
  const header = await run(at('echo'), { task: 'x' }, { ...ana, 'X-Agent-ID': 'bob' });
  expect([header.status, header.error?.data.reason]).toEqual([403, 'foreign-caller']);
  const context = await run(at('echo'), { task: 'x', context: { caller_id: 'bob' } }, ana);
  expect(context.error).toMatchObject({ code: -32600, data: { reason: 'foreign-caller' } });
});

test('where nobody needs credentials, a caller says who proposes, and is that one throughout', async () => {
  await service.close();
  const echo = { ...skills.skills.echo, signed: signedUpdate };
  service = await startTestService({ skills: { echo } });
  const inputOf = async (context: object, headers: Record<string, string> = {}) =>
    (await run(at('echo'), { task: 'x', context }, headers)).result?.artifacts[0]?.parts[0]?.data;
  const named = { 'X-Agent-ID': 'atlas' };
  expect(await inputOf({}, named)).toEqual({ sourceAgentId: 'atlas' });
  expect(await inputOf({ caller_id: 'atlas', request_id: 'r' })).toEqual({
    sourceAgentId: 'atlas',
    metadata: { idempotencyKey: 'r' },
  });
  const own = { sourceAgentId: 'other', metadata: { idempotencyKey: 'k' } };
  expect(await inputOf({ ...own, request_id: 'r' }, named)).toEqual(own);
  const differs = await run(at('echo'), { task: 'x', context: { caller_id: 'rumour' } }, named);
  expect(differs.error?.data.reason).toBe('foreign-caller');
});

test('an agent that is not there is not found, by who may call', async () => {
  const missing = await run(at('nobody'), { task: 'x' }, ana);
  expect([missing.status, missing.error?.data.details]).toEqual([404, 'Agent not found']);
  expect((await run(at('__proto__%2F'), { task: 'x' }, ana)).status).toBe(404);
  const stranger = await post(at('nobody'), '{}');
  expect([stranger.status, stranger.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer realm="concord"']);
});

test('a run needs the scope of tasks, and counts among the tasks of its agent', async () => {
  const reader = await run(at('echo'), { task: 'x' }, { Authorization: 'Bearer reader' });
  expect(reader.error).toMatchObject({ code: -32600, data: { reason: 'missing-scope' } });
  const waiting = [run(at('wait'), { task: 'x' }, ana), run(at('wait'), { task: 'x' }, ana)];
  await eventually(() => skills.waiting.size === 2);
  expect((await run(at('echo'), { task: 'x' }, ana)).error?.data.reason).toBe('too-many-tasks');
  expect((await run(at('echo'), { task: 'x' }, { Authorization: 'Bearer bob' })).result).toBeDefined();
  skills.release();
  await Promise.all(waiting);
});

test('HTTP+JSON keeps its address, and other methods are not taken at an agent', async () => {
  const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...ana };
  const body = JSON.stringify(message({ skill: 'echo' }));
  const sent = await fetch(`${service.url}/v1/message:send`, { method: 'POST', headers, body });
  expect((await json<{ task: TaskJson }>(sent)).task.status.state).toBe('TASK_STATE_COMPLETED');
  expect((await fetch(`${at('v1')}/rpc`, { method: 'POST', headers, body: '{}' })).status).toBe(404);
  expect((await fetch(`${at('echo')}/rpc`)).status).toBe(405);
  expect((await fetch(`${at('echo')}/ws`)).status).toBe(426);
  expect((await fetch(`${at('echo')}/nothing`)).status).toBe(404);
});

test('a service that shuts down takes no more runs, and waits for those under way', async () => {
  const waiting = run(at('wait'), { task: 'x' }, ana);
  await eventually(() => skills.waiting.size === 1);
  const closed = service.endpoint.close();
  expect((await run(at('echo'), { task: 'x' }, ana)).status).toBe(503);
  skills.release();
  expect((await waiting).result?.task?.state).toBe('completed');
  await closed;
});

test('whatever JSON comes, no fault of the service comes of it', async () => {
  const context = fc.record(
    {
      request_id: fc.anything(),
      caller_id: fc.constantFrom('ana', 'bob', 3),
      skill: fc.anything(),
      task_id: fc.anything(),
    },
    { requiredKeys: [] },
  );
  const params = fc.oneof(
    fc.jsonValue(),
    fc.record({ task: fc.jsonValue(), context: fc.oneof(context, fc.jsonValue()) }),
  );
  const method = fc.oneof({ weight: 4, arbitrary: fc.constant('run') }, fc.jsonValue());
  const request = fc.record({ jsonrpc: fc.constantFrom('2.0', '1.0'), id: fc.jsonValue(), method, params });
  const body = fc.oneof({ weight: 3, arbitrary: request }, fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom('echo', 'concord'), async (sent, agent) => {
      const response = await post(at(agent), JSON.stringify(sent), ana);
      const text = await response.text();
      expect(response.status).toBeLessThan(500);
      if (text === '') return;
      const answers = [JSON.parse(text)].flat() as Answer[];
      for (const answer of answers) check('run', answer);
      expect(answers.map(({ error }) => error?.code)).not.toContain(-32603);
    }),
    { numRuns: 200 },
  );
});
