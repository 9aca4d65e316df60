import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { TaskState } from '@a2a-js/sdk';
import { ServerCallContext } from '@a2a-js/sdk/server';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connect } from '../../src/client/index.ts';
import { type AgentOptions, question, type RunningAgent, startAgent } from '../../src/kit/index.ts';
import { RecentTasks } from '../../src/kit/taskStore.ts';
import { eventually } from '../a2a/testService.ts';
import { lastingPort } from '../support/ports.ts';

/* An agent of the kit without a Concord and without a token. */

const stopped: string[] = [];
const whoItIs: AgentOptions = {
  ...{ id: 'alone', name: 'Alone', description: 'Waits.' },
  skills: [
    {
      ...{ id: 'wait', name: 'Wait', description: 'Waits to be told to stop.', tags: [] },
      run: ({ text, signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped.push(text);
            reject(signal.reason);
          });
        }),
    },
  ],
};
let agent: RunningAgent;
beforeAll(async () => {
  agent = await startAgent(whoItIs);
});
afterAll(() => agent.close());

test('a task is cancelled with all that runs for it, whichever message it came by', async () => {
  const { tasks } = await connect(agent.url);
  const send = (text: string, more: object = {}) =>
    tasks.send({ parts: [{ text }], ...more }, { returnImmediately: true });
  const { task } = await send('first');
  if (!task) throw new Error('There is no task');
  const { id: taskId, contextId } = task;
  await send('second', { taskId, contextId });
  expect((await tasks.cancel(taskId)).status.state).toBe('TASK_STATE_CANCELED');
  await eventually(() => stopped.length === 2);
  expect(stopped.toSorted()).toEqual(['first', 'second']);
});

const ask = (body: string, headers: Record<string, string> = {}, url = agent.url) =>
  new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
    const asked = request(
      `${url}/a2a`,
      { method: 'POST', headers: { 'content-type': 'application/json', 'A2A-Version': '1.0', ...headers } },
      async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text });
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} });

test('without a token an agent answers under its own names only, so that no web page reaches it by one of its own', async () => {
  const status = async (headers: Record<string, string>, url?: string) => (await ask(list, headers, url)).status;
  expect(await status({})).toBe(200);
  for (const host of ['localhost:1', '[::1]']) expect([host, await status({ host })]).toEqual([host, 200]);
  const others: Record<string, string>[] = [
    { host: 'mallory.example.org' },
    { origin: 'https://mallory.example.org' },
    { host: 'agents.example.org' },
  ];
  for (const headers of others) expect([headers, await status(headers)]).toEqual([headers, 403]);
  const port = await freePort();
  const published = await startAgent({ ...whoItIs, port, publicUrl: 'https://agents.example.org/alone' });
  const own = { host: 'agents.example.org', origin: 'https://agents.example.org' };
  expect(await status(own, `http://127.0.0.1:${port}`)).toBe(200);
  expect(await status({ ...own, origin: 'https://mallory.example.org' }, `http://127.0.0.1:${port}`)).toBe(403);
  await published.close();
});

test('what is no JSON, or too long, is answered by JSON-RPC and not by a page', async () => {
  const answers = [
    await ask('{'),
    await ask(`"${'x'.repeat(9_000_000)}"`),
    await ask(list, { 'content-encoding': 'x' }),
  ];
  for (const { type } of answers) expect(type).toContain('application/json');
  const codes = answers.map(({ text }) => JSON.parse(text).error.code);
  expect(codes).toEqual([-32700, -32600, -32600]);
});

test('of its tasks an agent keeps the newest, by number and by bytes', async () => {
  const context = new ServerCallContext();
  const task = (id: string, length: number) => ({
    ...{ id, contextId: 'c', artifacts: [], metadata: { text: 'x'.repeat(length) } },
    status: { state: TaskState.TASK_STATE_COMPLETED, message: undefined, timestamp: undefined },
    history: [
      {
        ...{ messageId: 'm', contextId: 'c', taskId: id, role: 1, metadata: undefined },
        ...{ extensions: [], referenceTaskIds: [] },
        parts: [
          {
            content: { $case: 'raw' as const, value: Buffer.from('raw') },
            metadata: undefined,
            filename: '',
            mediaType: '',
          },
        ],
      },
    ],
  });
  const tasks = new RecentTasks(3, 10_000);
  const kept = async () => (await tasks.list({ pageSize: 10 } as never, context)).tasks.map(({ id }) => id).toSorted();
  for (const id of ['a', 'b', 'c', 'd']) await tasks.save(task(id, 10));
  expect(await kept()).toEqual(['b', 'c', 'd']);
  expect(await tasks.load('b')).toEqual(task('b', 10));
  await tasks.save(task('long', 9_500));
  expect(await kept()).toEqual(['long']);
  expect(tasks.contextOf('long')).toBe('c');
});

test('as many skills run at a time as may, and what comes beyond may be sent again', async () => {
  const small = await startAgent({ ...whoItIs, mostRunning: 2 });
  try {
    const { tasks } = await connect(small.url);
    const begun = ['one', 'two'].map((text) => tasks.send({ parts: [{ text }] }, { returnImmediately: true }));
    const [first] = await Promise.all(begun);
    const { task } = await tasks.send([{ text: 'three' }]);
    expect(task?.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{}, { data: { error: { data: { reason: 'busy', retryable: true } } } }] },
    });
    await tasks.cancel(first?.task?.id ?? '');
    const again = async () => (await tasks.send({ parts: [{ text: 'x' }] }, { returnImmediately: true })).task;
    await eventually(async () => (await again())?.status.state !== 'TASK_STATE_FAILED');
  } finally {
    await small.close();
  }
});

test('a task has no more bytes than it may, by its messages, its answer or what is told meanwhile', async () => {
  const long = 'x'.repeat(7 * 1024 * 1024);
  const talker = await startAgent({
    ...whoItIs,
    skills: [
      {
        ...{ id: 'talk', name: 'Talk', description: 'Says much.', tags: [] },
        run({ text, tell }) {
          if (text === 'answer') return long + long;
          if (text.length > 100) return question('What else?');
          for (let n = 0; n < 1_000; n++) tell(`${n} ${'y'.repeat(10_000)}`);
          return 'done';
        },
      },
    ],
  });
  try {
    const { tasks } = await connect(talker.url);
    const answered = (await tasks.send([{ text: 'answer' }])).task;
    expect(answered?.status.message?.parts[0]?.text).toMatch(/^The answer is longer/);
    const told = (await tasks.send([{ text: 'tell' }])).task;
    expect(JSON.stringify(told).length).toBeLessThan(400_000);
    expect(told?.artifacts?.[0]?.parts[0]?.text).toBe('done');
    const first = (await tasks.send([{ text: long }])).task;
    expect(first?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const second = (await tasks.send({ taskId: first?.id ?? '', parts: [{ text: long }] })).task;
    expect(second?.status.message?.parts[0]?.text).toMatch(/^The task is longer/);
  } finally {
    await talker.close();
  }
});

test.each([
  ['1.0', 'SendMessage', [null]],
  ['1.0', 'SendMessage', [{ raw: 5 }]],
  ['1.0', 'SendStreamingMessage', [null]],
  ['0.3', 'message/send', [{ kind: 'file', file: 5 }]],
])('parts that cannot be read in A2A %s by %s are refused in plain words: %j', async (version, method, parts) => {
  const message = { messageId: 'm', role: version === '1.0' ? 'ROLE_USER' : 'user', kind: 'message', parts };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message } });
  const { text } = await ask(body, { 'A2A-Version': version });
  expect(JSON.parse(text).error).toEqual({ code: -32602, message: 'The params cannot be read' });
});

test('an agent listens only once it can serve, and not while it still looks for its Concord', async () => {
  const waiting: (() => void)[] = [];
  const concord = createServer((socket) => {
    socket.on('error', () => {});
    waiting.push(() => socket.destroy());
  });
  concord.listen(0, '127.0.0.1');
  await once(concord, 'listening');
  const port = await lastingPort();
  const url = `http://127.0.0.1:${(concord.address() as AddressInfo).port}`;
  const begun = startAgent({ ...whoItIs, port, concord: { url } });
  const failed = expect(begun).rejects.toThrow();
  await eventually(() => waiting.length > 0);
  await expect(fetch(`http://127.0.0.1:${port}/.well-known/agent-card.json`)).rejects.toThrow();
  concord.close();
  for (const end of waiting) end();
  await failed;
});
