import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connect } from '../../../src/client/index.ts';
import type { Task } from '../../../src/client/taskTypes.ts';
import { tryPort } from '../../../src/neo4jServer/ports.ts';
import { pythonWithSdk } from '../../a2a/python/environment.ts';
import { eventually } from '../../a2a/testService.ts';
import { useService } from '../../support/setUp.ts';
import { startSdkAgent } from './workers.ts';

/* An agent on the official Python SDK, to which tasks are handed on. */

const python = await pythonWithSdk();
const testWithPython = python.missing === undefined ? test : test.skip;
const service = useService({ AGENT_ALLOW: '127.0.0.1' });

let stop = async () => {};
beforeAll(async () => {
  if (python.missing !== undefined) return;
  const port = await tryPort(0);
  const worker = spawn(python.command, ['test/a2a/python/worker.py', String(port)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(worker, 'exit');
  stop = async () => {
    worker.kill('SIGTERM');
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(`${url}/.well-known/agent-card.json`).catch(() => undefined))?.ok === true);
  await (await connect(service.url)).agents.register({ id: 'python', url });
});
afterAll(() => stop());

const textsOf = ({ artifacts }: Task) => artifacts?.flatMap(({ parts }) => parts.map(({ text }) => text));

testWithPython('an agent of the Python SDK does a task, asks, and goes on with the answer', async () => {
  const concord = await connect(service.url);
  const done = await concord.delegate({ to: 'python', message: 'hello' });
  expect([done.status.state, textsOf(done)]).toEqual(['TASK_STATE_COMPLETED', ['Python heard: hello']]);
  const asked = await concord.delegate({ capability: 'python', message: 'ask' });
  expect([asked.status.state, asked.status.message?.parts[0]?.text]).toEqual([
    'TASK_STATE_INPUT_REQUIRED',
    'Who is it?',
  ]);
  const { task } = await concord.tasks.send({ taskId: asked.id, parts: [{ text: 'Ann' }] });
  expect(task && [task.status.state, textsOf(task)]).toEqual(['TASK_STATE_COMPLETED', ['Python heard: Ann']]);
});

testWithPython('an agent of the Python SDK and one of the JavaScript SDK do the steps of one workflow', async () => {
  const concord = await connect(service.url);
  const echo = { id: 'echo', name: 'Echo', description: 'Says it again.', tags: ['echo'] };
  const javaScript = await startSdkAgent([{ ...echo, run: ({ data }) => data }]);
  try {
    await concord.agents.register({ id: 'javascript', card: javaScript.rest });
    const task = await concord.coordinate({
      steps: [
        { id: 'hear', agent: 'python', message: 'hello' },
        { id: 'echo', agent: 'javascript', task: 'echo', parameters: { heard: { $result: 'hear' } } },
      ],
    });
    const data = task.artifacts?.[0]?.parts[0]?.data;
    expect(data).toMatchObject({ results: { echo: { heard: 'Python heard: hello' } } });
  } finally {
    await javaScript.close();
  }
});
