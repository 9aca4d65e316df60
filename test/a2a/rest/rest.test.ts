import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { EXTENSION_URI } from '../../../src/a2a/protocol/extension.ts';
import { byName, message, type TaskJson, testSkills } from '../tasks.ts';
import { eventually, json, startTestService, type TestService } from '../testService.ts';

let service: TestService;
let skills: ReturnType<typeof testSkills>;

async function start(settings: Record<string, string> = {}): Promise<void> {
  skills = testSkills();
  service = await startTestService({
    settings: { SHUTDOWN_MS: '200', MAX_BODY_BYTES: '4096', ...settings },
    skills: skills.skills,
    a2a: { authenticate: byName },
  });
}
beforeEach(() => start());
afterEach(() => service.close());

const current = { Authorization: 'Bearer ana', 'A2A-Version': '1.0' };

function request(path: string, body?: unknown, headers: Record<string, string> = current) {
  return fetch(`${service.url}/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

interface Fault {
  error: { code: number; message: string; status: string; details: { reason: string }[] };
}

const faultOf = async (answer: Promise<Response>) => {
  const response = await answer;
  const { error } = await json<Fault>(response);
  return [response.status, error.details[0]?.reason];
};

test('a message of A2A 1.0 is answered with a task, which can be got and listed', async () => {
  const { task } = await json<{ task: TaskJson }>(request('/message:send', message({ skill: 'echo', a: 1 })));
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(await json<TaskJson>(request(`/tasks/${task.id}`))).toMatchObject({ id: task.id });
  const { tasks } = await json<{ tasks: TaskJson[] }>(request('/tasks'));
  expect(tasks.map(({ id }) => id)).toEqual([task.id]);
});

test('at the same address a message of A2A 0.3 is answered as 0.3 has it', async () => {
  const headers = { Authorization: 'Bearer ana' };
  const body = {
    message: {
      messageId: crypto.randomUUID(),
      role: 'ROLE_USER',
      content: [{ data: { data: { skill: 'echo' } } }],
    },
  };
  const { task } = await json<{ task: TaskJson }>(request('/message:send', body, headers));
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  const missing = await request('/tasks/x', undefined, headers);
  expect([missing.status, await missing.json()]).toEqual([404, { code: -32001, message: expect.any(String) }]);
});

test('answers are application/json, unless the caller knows application/a2a+json', async () => {
  const type = async (headers: object) =>
    (await request('/tasks', undefined, { ...current, ...headers })).headers.get('content-type');
  expect(await type({})).toMatch(/^application\/json/);
  expect(await type({ Accept: 'application/a2a+json' })).toMatch(/^application\/a2a\+json/);
  expect((await request('/tasks/x')).headers.get('content-type')).toMatch(/^application\/json/);
});

test('a body of another type is answered with 400, and with 415 for the conformance kit', async () => {
  const send = () => request('/message:send', 'hello', { ...current, 'Content-Type': 'text/plain' });
  expect(await faultOf(send())).toEqual([400, 'CONTENT_TYPE_NOT_SUPPORTED']);
  await service.close();
  await start({ A2A_KIT: 'true' });
  expect(await faultOf(send())).toEqual([415, 'CONTENT_TYPE_NOT_SUPPORTED']);
});

test('a request that has no body needs no content type', async () => {
  const open = await request('/message:stream', message({ skill: 'wait' }));
  await eventually(() => skills.waiting.size === 1);
  const { tasks } = await json<{ tasks: TaskJson[] }>(request('/tasks'));
  const cancelled = await fetch(`${service.url}/v1/tasks/${tasks[0]?.id}:cancel`, {
    method: 'POST',
    headers: current,
  });
  expect(await json<TaskJson>(cancelled)).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
  await open.text();
});

test('a body that is too long, no JSON, or no message is refused as JSON', async () => {
  const long = await request('/message:send', message({ skill: 'echo', text: 'x'.repeat(5000) }));
  expect([long.status, (await json<Fault>(long)).error.message]).toEqual([413, expect.stringContaining('4096 bytes')]);
  expect(await faultOf(request('/message:send', '{'))).toEqual([400, 'INVALID_PARAMS']);
  expect(await faultOf(request('/message:send', '{"__proto__": {}}'))).toEqual([400, 'INVALID_PARAMS']);
  expect(await faultOf(request('/message:send', {}))).toEqual([400, 'INVALID_PARAMS']);
});

test('a patch version does not matter, and a version that is not served is refused', async () => {
  expect((await request('/tasks', undefined, { ...current, 'A2A-Version': '1.0.3' })).status).toBe(200);
  const other = request('/tasks', undefined, { ...current, 'A2A-Version': '2.0' });
  expect(await faultOf(other)).toEqual([400, 'VERSION_NOT_SUPPORTED']);
});

test('who is not known is answered with 401 and a challenge', async () => {
  const response = await request('/tasks', undefined, { 'A2A-Version': '1.0' });
  expect(response.headers.get('WWW-Authenticate')).toBe('Bearer realm="concord"');
  expect([response.status, (await json<Fault>(response)).error.details[0]?.reason]).toEqual([401, 'MISSING']);
});

test('to a caller of 0.3 a refusal has the code and the reason that it has over JSON-RPC', async () => {
  const bodyOf = async (headers: Record<string, string>) => {
    const response = await request('/tasks/x', undefined, headers);
    return [response.status, await response.json()];
  };
  const refused = (reason: string) => ({
    code: -32600,
    message: expect.any(String),
    data: { reason, retryable: false },
  });
  expect(await bodyOf({})).toEqual([401, refused('missing')]);
  expect(await bodyOf({ Authorization: 'Bearer nobody' })).toEqual([401, refused('unknown-key')]);
  expect(await bodyOf({ Authorization: 'Bearer reader' })).toEqual([
    403,
    { ...refused('missing-scope'), data: expect.objectContaining({ reason: 'missing-scope' }) },
  ]);
});

test('without the scope tasks there are no tasks', async () => {
  const headers = { ...current, Authorization: 'Bearer reader' };
  expect(await faultOf(request('/tasks', undefined, headers))).toEqual([403, 'MISSING_SCOPE']);
});

test("a tenant in the path, the query or the body must be the caller's own", async () => {
  const body = { tenant: 'south', ...message({ skill: 'echo' }) };
  for (const answer of [
    request('/south/tasks'),
    request('/tasks?tenant=south'),
    request('/message:send', body),
    request('/south/message:send', message({ skill: 'echo' })),
  ]) {
    expect(await faultOf(answer)).toEqual([403, 'FOREIGN_TENANT']);
  }
  expect((await request('/north/tasks')).status).toBe(200);
  expect((await request('/message:send', { ...body, tenant: 'north' })).status).toBe(200);
});

test('a stream is sent as server-sent events, and names the extensions', async () => {
  const response = await request('/message:stream', message({ skill: 'echo' }), {
    ...current,
    'A2A-Extensions': EXTENSION_URI,
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('A2A-Extensions')).toBe(EXTENSION_URI);
  expect((await response.text()).match(/"TASK_STATE_COMPLETED"/g)).toHaveLength(1);
});

test('a stream has heartbeats while nothing happens', async () => {
  await service.close();
  await start({ HEARTBEAT_MS: '1000' });
  const open = await request('/message:stream', message({ skill: 'wait' }));
  setTimeout(() => skills.release(), 1_500);
  expect(await open.text()).toContain(': heartbeat\n');
});

test('a stream ends that is not read for two heartbeats', async () => {
  await service.close();
  await start({ HEARTBEAT_MS: '1000' });
  const { hostname, port, pathname } = new URL(`${service.url}/v1/message:stream`);
  const body = JSON.stringify(message({ skill: 'flood' }));
  const socket = connect({ host: hostname, port: Number(port) }).pause();
  socket.write(
    `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ana\r\nA2A-Version: 1.0\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  await eventually(() => service.log.some(({ closeReason }) => closeReason === 'slow-consumer'));
  socket.destroy();
});

test('a shutdown ends streams, and answers what comes with 503', async () => {
  const open = await request('/message:stream', message({ skill: 'wait' }));
  await eventually(() => skills.waiting.size === 1);
  const closed = service.endpoint.close();
  const late = await request('/tasks');
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await open.text()).toContain('DRAINING');
  await closed;
});

test('calls leave counts and a log line, as over JSON-RPC', async () => {
  await request('/tasks/x');
  await eventually(() => service.log.length === 1);
  expect(service.log[0]).toMatchObject({ msg: 'call', method: 'GetTask', outcome: '-32001' });
  expect(await service.metrics()).toContain('concord_requests_total{method="GetTask",outcome="-32001"} 1');
});
