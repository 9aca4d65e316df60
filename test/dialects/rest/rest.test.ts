import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { refuse } from '../../../src/base/reasons.ts';
import type { TaskEvent } from '../../../src/dialects/rest/messages.ts';
import type { Skill } from '../../../src/skills/skill.ts';
import { byName, testSkills } from '../../a2a/tasks.ts';
import { eventually, startTestService, type TestService } from '../../a2a/testService.ts';
import { asking, askingFor, RestClient } from './client.ts';

let service: TestService;
let client: RestClient;
let bob: RestClient;
const skills = testSkills();

const telling: Skill = {
  summary: 'Tells how far it is',
  example: { skill: 'telling' },
  run: async (_, { tell }) => {
    tell('Searching the schema', { progress: 0.3 });
    tell('It has no number', { progress: 7 });
    return { state: 'completed', artifacts: [{ name: '', description: 'All', data: { n: 1 } }], text: 'Done' };
  },
};
const refusing: Skill = {
  ...telling,
  run: async () => {
    throw refuse('no-query', 'No query can be made of it', { query: '{ x }' });
  },
};

beforeAll(async () => {
  service = await startTestService({
    settings: { MAX_BODY_BYTES: '100000', HEARTBEAT_MS: '200', TASK_TIMEOUT_MS: '20000' },
    skills: { ...skills.skills, telling, refusing },
    a2a: { authenticate: byName },
  });
  client = new RestClient(service.listening.url, { authorization: 'Bearer ana' });
  bob = new RestClient(service.listening.url, { authorization: 'Bearer bob' });
});
afterAll(() => service.close());

async function all(events: AsyncIterable<TaskEvent>): Promise<TaskEvent[]> {
  const seen = [];
  for await (const event of events) seen.push(event);
  return seen;
}

/** What an agent keeps of a message, as A2A 1.0 tells it. */
async function partsKept(id: string): Promise<unknown> {
  const response = await service.post(
    { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } },
    { headers: { 'content-type': 'application/json', 'A2A-Version': '1.0', authorization: 'Bearer ana' } },
  );
  const { result } = (await response.json()) as { result: { history: { parts: unknown[] }[] } };
  return result.history[0]?.parts;
}

test('the card tells strangers what can be asked for, and how many tasks an agent may have at a time', async () => {
  const card = await client.card();
  expect(card).toMatchObject({ id: 'concord', streaming: true, max_concurrent_tasks: 5 });
  expect(card.capabilities).toContainEqual({
    name: 'telling',
    description: 'Tells how far it is',
    parameters: { type: 'object', examples: [{}] },
    example: { skill: 'telling' },
  });
});

test('a task that is sent is done when it is answered, and is read with its artefacts', async () => {
  const { task_id, status } = await client.send(askingFor({ skill: 'telling' }, { context_id: 'c-1' }));
  expect(status).toBe('completed');
  expect(await client.get(task_id)).toMatchObject({
    id: task_id,
    context_id: 'c-1',
    state: { status: 'completed', progress: 1, status_message: 'Done' },
    output: {
      messages: [{ role: 'assistant', parts: [{ type: 'text', text: 'Done' }] }],
      artefacts: [{ title: 'result', description: 'All', parts: [{ type: 'data', data: { n: 1 } }] }],
    },
  });
});

test('a stream tells how far a task is in numbers and words, and completes with what came of it', async () => {
  const events = await all(client.events(askingFor({ skill: 'telling' })));
  expect(events.map(({ event, data }) => [event, data.status, data.progress, data.status_message])).toEqual([
    ['task_progress', 'created', 0.1, 'Understanding the request'],
    ['task_progress', 'in_progress', 0.7, 'Running it'],
    ['task_progress', 'in_progress', 0.3, 'Searching the schema'],
    ['task_progress', 'in_progress', 0.7, 'It has no number'],
    ['task_progress', 'in_progress', 0.9, 'Shaping the answer'],
    ['task_complete', 'completed', 1, 'Done'],
  ]);
  expect(events[4]?.data).toMatchObject({ artefact: { parts: [{ data: { n: 1 } }], append: false } });
  expect(events[5]?.data).toMatchObject({ output: { artefacts: [{ parts: [{ data: { n: 1 } }] }] } });
});

test('what a skill throws ends the stream with its error, and the task tells it too', async () => {
  const events = await all(client.events(askingFor({ skill: 'refusing' })));
  expect(events.at(-1)).toMatchObject({
    event: 'task_error',
    data: { status: 'failed', progress: 1, error: { message: 'No query can be made of it', data: { query: '{ x }' } } },
  });
  expect((await client.get(events[0]?.data.task_id ?? '')).state).toMatchObject({ status: 'failed' });
});

test('what goes wrong inside is told as no more than that', async () => {
  const events = await all(client.events(askingFor({ skill: 'fail' })));
  expect(events.at(-1)).toMatchObject({ event: 'task_error', data: { error: { message: 'Internal error' } } });
  expect(JSON.stringify(events)).not.toContain('hunter2');
});

test('a task that waits for input goes on with a message of its id', async () => {
  const { task_id, status } = await client.send(asking({ type: 'text', text: 'Which one?' }));
  expect(status).toBe('input_required');
  const events = await all(client.events(askingFor({ skill: 'echo', answer: 'this' }, { task_id })));
  expect(events.at(-1)).toMatchObject({ event: 'task_complete', data: { task_id } });
  const waits = await all(client.events(asking({ type: 'text', text: 'Which one?' })));
  expect(waits.at(-1)).toMatchObject({ event: 'task_progress', data: { status: 'input_required' } });
});

test('text, data, files and images reach the task as they were sent; the message that asks is the last', async () => {
  const data = Buffer.from('hello').toString('base64');
  const { task_id } = await client.send({
    input: {
      messages: [
        { role: 'system', parts: [{ type: 'text', text: 'passed over' }] },
        {
          id: 'm-1',
          role: 'user',
          timestamp: '2024-01-15T10:30:00Z',
          metadata: null,
          parts: [
            { type: 'data', data: { skill: 'echo' }, schema_name: 'query_metadata' },
            { type: 'text', text: 'hello' },
            { type: 'file', name: 'a.txt', mime_type: 'text/plain', data },
            { type: 'image', data },
            { type: 'file', uri: 'https://example.org/a.txt' },
          ],
        },
      ],
    },
  });
  expect(await partsKept(task_id)).toMatchObject([
    { data: { skill: 'echo' }, metadata: { schema_name: 'query_metadata' } },
    { text: 'hello' },
    { raw: data, filename: 'a.txt', mediaType: 'text/plain' },
    { raw: data, mediaType: 'image/*' },
    { url: 'https://example.org/a.txt' },
  ]);
});

test.each([
  ['no JSON', '{', 'is not JSON'],
  ['no object', '[]', ''],
  ['no messages', { input: { messages: [] } }, 'is empty'],
  ['no parts', asking(), 'is empty'],
  [
    'a last message of the assistant',
    { input: { messages: [{ role: 'assistant', parts: [{ type: 'text', text: 'x' }] }] } },
    'role',
  ],
  ['a part of another type', asking({ type: 'video', data: '' }), 'is none of'],
  ['a file of no content', asking({ type: 'file', name: 'x' }), 'exactly one'],
  ['a file that is not base64', asking({ type: 'image', data: 'ü' }), 'is not base64'],
])('%s is refused, whether or not it is to be a stream', async (_, body, message) => {
  for (const path of ['/tasks/send', '/tasks/sendSubscribe']) {
    const fault = await client.fault(path, body);
    expect(fault).toMatchObject({ status: 400, message: expect.stringContaining(message) });
  }
});

test('a caller without credentials, with too long a body or of another type is refused', async () => {
  const stranger = new RestClient(service.listening.url);
  expect(await stranger.fault('/tasks/send', askingFor({ skill: 'echo' }))).toMatchObject({ status: 401 });
  expect(await client.fault('/tasks/send', askingFor({ x: 'x'.repeat(200_000) }))).toMatchObject({ status: 413 });
  const other = new RestClient(service.listening.url, { authorization: 'Bearer ana', 'Content-Type': 'text/plain' });
  expect(await other.fault('/tasks/send', '{}')).toMatchObject({ status: 415 });
});

test("a task that isn't there, or is another agent's, is not found; one that has ended is not cancelled", async () => {
  const { task_id } = await client.send(askingFor({ skill: 'echo' }));
  expect(await client.fault('/tasks/nowhere')).toMatchObject({ status: 404, code: -32001 });
  expect(await bob.fault(`/tasks/${task_id}`)).toMatchObject({ status: 404 });
  expect(await bob.fault(`/tasks/${task_id}/cancel`, '')).toMatchObject({ status: 404 });
  expect(await bob.fault('/tasks/send', askingFor({ skill: 'echo' }, { task_id }))).toMatchObject({ status: 404 });
  expect(await client.fault(`/tasks/${task_id}/cancel`, '')).toMatchObject({ status: 400, code: -32002 });
  expect(await client.fault('/tasks/%ff')).toMatchObject({ status: 400, message: expect.stringContaining('UTF-8') });
});

test('a stream whose task is cancelled ends with that', async () => {
  const seen: TaskEvent[] = [];
  for await (const event of client.events(askingFor({ skill: 'wait' }))) {
    seen.push(event);
    if (seen.length === 2)
      expect(await client.cancel(event.data.task_id)).toMatchObject({ state: { status: 'cancelled' } });
  }
  expect(seen.at(-1)).toMatchObject({ event: 'task_error', data: { status: 'cancelled' } });
});

test('an agent has five tasks at a time, also of callers that have gone away; others have their own', async () => {
  const gone = new AbortController();
  const begun = Array.from({ length: 5 }, () => client.fetch('/tasks/send', askingFor({ skill: 'wait' }), gone.signal));
  await eventually(() => skills.waiting.size === 5);
  for (const path of ['/tasks/send', '/tasks/sendSubscribe']) {
    const fault = await client.fault(path, askingFor({ skill: 'wait' }));
    expect(fault).toMatchObject({ status: 429, data: { reason: 'too-many-tasks', limit: 5, retryable: true } });
    expect(fault.headers.get('retry-after')).toBe('1');
  }
  expect(await bob.send(askingFor({ skill: 'echo' }))).toMatchObject({ status: 'completed' });
  gone.abort();
  await Promise.allSettled(begun);
  expect(await client.fault('/tasks/send', askingFor({ skill: 'echo' }))).toMatchObject({ status: 429 });
  skills.release();
  await eventually(() => skills.waiting.size === 0);
  await eventually(async () => (await client.fetch('/tasks/send', askingFor({ skill: 'echo' }))).ok);
});

test('a task that takes longer than tasks may has failed, and says so', async () => {
  const short = await startTestService({ settings: { TASK_TIMEOUT_MS: '100' }, skills: skills.skills });
  try {
    const events = await all(new RestClient(short.listening.url).events(askingFor({ skill: 'wait' })));
    expect(events.at(-1)).toMatchObject({
      event: 'task_error',
      data: { error: { data: { reason: 'timeout', limit: 100 } } },
    });
  } finally {
    await short.close();
  }
});

test('each request is counted under the name of its method', async () => {
  await client.send(askingFor({ skill: 'echo' }));
  await all(client.events(askingFor({ skill: 'echo' })));
  const metrics = await service.metrics();
  for (const method of ['rest/send', 'rest/sendSubscribe'])
    expect(metrics).toContain(`method="${method}",outcome="ok"`);
});
