import { type Message, Part, type SendMessageRequest, type Task, TaskState } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Event } from '@ag-ui/core';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type RunParts, runEvents } from '../../src/agui/run.ts';
import type { RunRequest } from '../../src/agui/runRequest.ts';
import { localPrincipal } from '../../src/security/principal.ts';

const { TASK_STATE_COMPLETED, TASK_STATE_INPUT_REQUIRED, TASK_STATE_WORKING, TASK_STATE_CANCELED } = TaskState;

const taskOf = (id: string, state: TaskState, to: string, messageId = `first of ${id}`) =>
  ({
    ...{ id, contextId: 'thread', artifacts: [], status: { state } },
    history: [{ messageId, parts: [Part.fromJSON({ data: { skill: 'delegate', to } })] }] as Message[],
  }) as unknown as Task;

/** A run over the tasks that a thread has, and what it does with them. */
async function run(tasks: Task[], asked: Partial<RunRequest>, { answers = false } = {}) {
  const did: unknown[] = [];
  const listed: object[] = [];
  const stream = async function* (task: Task) {
    yield { payload: { $case: 'task', value: { ...task, status: { state: TASK_STATE_COMPLETED } } } };
  };
  const handler = {
    listTasks: async (request: object) => {
      listed.push(request);
      return { tasks };
    },
    sendMessageStream: ({ message }: SendMessageRequest) => {
      const [part] = message?.parts ?? [];
      did.push(['send', message?.taskId, part?.content?.value]);
      return stream(taskOf('new', TASK_STATE_COMPLETED, 'x'));
    },
    cancelTask: async ({ id }: { id: string }) => {
      did.push(['cancel', id]);
      return taskOf(id, TASK_STATE_CANCELED, 'x');
    },
    getTask: async ({ id }: { id: string }) => tasks.find((task) => task.id === id),
    resubscribe: ({ id }: { id: string }) => {
      did.push(['follow', id]);
      return stream(tasks.find((task) => task.id === id) as Task);
    },
  } as unknown as A2ARequestHandler;
  const parts: RunParts = {
    ...{ handler, answers, model: undefined, logger: pino({ level: 'silent' }) },
    find: async () => ({ agents: [] }),
    list: async () => ({ agents: [] }),
    rowsOf: async (_tenant, { ids, messageId }) =>
      tasks.flatMap(({ id, history }) => {
        const data = history[0]?.parts[0]?.content?.value as { to: string };
        const hasMessage = history.some((message) => message.messageId === messageId);
        return ids.includes(id) ? [{ id, agentId: data.to, hasMessage }] : [];
      }),
  };
  const said = { id: 'said', text: 'hello', parts: [{ text: 'hello' }] };
  const request = { threadId: 'thread', runId: 'run', state: {}, agent: undefined, resume: undefined, said, ...asked };
  const events: Event[] = [];
  try {
    const call = { principal: localPrincipal, signal: new AbortController().signal };
    for await (const event of runEvents(parts, request, call)) events.push(event);
  } catch {
    // Its last event tells.
  }
  return { did, last: events.at(-1), events, listed };
}

const waiting = taskOf('t', TASK_STATE_INPUT_REQUIRED, 'painter');

test('what is said next is the answer to who waits, unless another agent is named', async () => {
  expect((await run([waiting], {})).did).toEqual([['send', 't', 'hello']]);
  const { did } = await run([waiting], { agent: 'surveyor' });
  expect(did).toEqual([['send', '', { skill: 'delegate', to: 'surveyor', message: [{ text: 'hello' }] }]]);
});

test('what an interrupt is answered with goes to its task alone', async () => {
  const other = taskOf('u', TASK_STATE_INPUT_REQUIRED, 'surveyor');
  const resume = (interruptId: string, payload: unknown) => ({
    ...{ said: undefined, resume: { interruptId, status: 'resolved' as const, payload } },
  });
  expect((await run([other, waiting], resume('t', { answer: 'blue' }))).did).toEqual([['send', 't', 'blue']]);
  expect((await run([waiting], resume('t', { colour: 'blue' }))).did).toEqual([['send', 't', { colour: 'blue' }]]);
  expect((await run([waiting], resume('t', 7))).did).toEqual([['send', 't', '7']]);
  const { did, last } = await run([waiting], resume('another', 'x'));
  expect([did, last]).toMatchObject([[], { type: 'RUN_ERROR', code: 'unknown-interrupt' }]);
});

test('a task that is given up is cancelled, and one that has ended is as it is', async () => {
  const resume = { said: undefined, resume: { interruptId: 't', status: 'cancelled' as const } };
  expect(await run([waiting], resume)).toMatchObject({
    did: [['cancel', 't']],
    last: { outcome: { type: 'cancelled' } },
  });
  const { did, last } = await run([taskOf('t', TASK_STATE_COMPLETED, 'painter')], resume);
  expect([did, last]).toMatchObject([[], { outcome: { type: 'success' } }]);
});

test('a message that has come before is followed where its task works, told where it rests, and not sent', async () => {
  const works = taskOf('t', TASK_STATE_WORKING, 'painter', 'said');
  expect((await run([works], {})).did).toEqual([['follow', 't']]);
  const rests = await run([taskOf('t', TASK_STATE_COMPLETED, 'painter', 'said')], {});
  expect([rests.did, rests.last]).toMatchObject([[], { result: { taskId: 't' } }]);
});

test('where nobody is like it the agent of the thread is asked, else Concord, else nobody', async () => {
  const before = taskOf('t', TASK_STATE_COMPLETED, 'painter');
  expect((await run([before], {})).did).toMatchObject([['send', '', { skill: 'delegate', to: 'painter' }]]);
  expect((await run([], {}, { answers: true })).did).toEqual([['send', '', { skill: 'ask', question: 'hello' }]]);
  const { did, last } = await run([], {});
  expect([did, last]).toMatchObject([[], { type: 'RUN_FINISHED' }]);
});

test('of a thread 20 tasks are looked at, without their messages and what they have made', async () => {
  const { listed } = await run([waiting], {});
  expect(listed).toMatchObject([{ contextId: 'thread', pageSize: 20, historyLength: 0, includeArtifacts: false }]);
});
