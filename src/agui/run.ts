import { Part, Role, type SendMessageRequest, type StreamResponse, type Task } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { type Event, EventType } from '@ag-ui/core';
import { contextOf } from '../a2a/protocol/callContext.ts';
import { isObject } from '../base/isObject.ts';
import { refuse } from '../base/reasons.ts';
import type { Call } from '../calls/call.ts';
import { asConcordError } from '../calls/faults.ts';
import { CallerGone } from '../calls/streamEnd.ts';
import { isEnded, isResting, stateName } from '../tasks/nodes/taskState.ts';
import { agentForIntent, type ChoosingParts } from './choosing.ts';
import type { RunRequest, Said } from './runRequest.ts';
import { emptyState, TaskEvents, type TaskEventsOptions } from './taskEvents.ts';
import { isWaiting, type ThreadParts, type ThreadTask, tasksOfThread } from './thread.ts';

export interface RunParts extends ChoosingParts, ThreadParts {
  /** Whether Concord answers questions itself: the skill `ask`. */
  answers: boolean;
}

/** What a run does: who does it, and how it is heard. */
interface Work extends Pick<TaskEventsOptions, 'agent' | 'asked'> {
  stream(): AsyncIterable<StreamResponse>;
}

/**
 * The events of one run. It begins a task, goes on with one that waits, or follows one again whose message has come
 * before. What goes wrong once it has begun is its last event.
 */
export async function* runEvents(parts: RunParts, request: RunRequest, call: Call): AsyncGenerator<Event, void> {
  const { threadId, runId, state } = request;
  let tale: TaskEvents | undefined;
  yield { type: EventType.RUN_STARTED, threadId, runId };
  yield { type: EventType.STATE_SNAPSHOT, snapshot: { ...state, concord: emptyState } };
  try {
    const work = await workOf(parts, request, call);
    if (typeof work === 'string') {
      yield* plainAnswer(work, runId);
      yield { type: EventType.RUN_FINISHED, threadId, runId, outcome: { type: 'success' } };
      return;
    }
    tale = new TaskEvents({ ...work, runId });
    for await (const event of work.stream()) yield* tale.take(event);
    call.signal.throwIfAborted();
    yield* tale.rest(threadId);
  } catch (thrown) {
    if (call.signal.reason instanceof CallerGone) throw call.signal.reason;
    const error = asConcordError(call.signal.aborted ? call.signal.reason : thrown);
    yield* tale?.close(error.message) ?? [];
    yield { type: EventType.RUN_ERROR, message: error.message, code: error.data.reason ?? String(error.code) };
    // So that it is accounted for.
    throw error;
  }
}

/** @returns what to do, or what to say where nobody can do it */
async function workOf(parts: RunParts, request: RunRequest, call: Call): Promise<Work | string> {
  const { handler } = parts;
  const { threadId, resume, said } = request;
  const tasks = await tasksOfThread(parts, threadId, said?.id ?? '', call);
  if (resume) {
    const task = tasks.find(({ id }) => id === resume.interruptId);
    if (!task) throw refuse('unknown-interrupt', 'The thread has no task of this interrupt');
    if (resume.status === 'cancelled') return cancelled(handler, task, call);
    return {
      agent: agentOf(task),
      stream: () => send(handler, answerTo(task, request, payloadParts(resume.payload)), call),
    };
  }
  if (!said) return nobodyHere;
  const before = tasks.find(({ hasMessage }) => hasMessage);
  if (before) return { agent: agentOf(before), stream: () => again(handler, before, call) };
  const waiting = request.agent === undefined ? tasks.find(isWaiting) : undefined;
  if (waiting)
    return { agent: agentOf(waiting), stream: () => send(handler, answerTo(waiting, request, said.parts), call) };
  return delegated(parts, request, { said, tasks }, call);
}

async function delegated(
  parts: RunParts,
  { threadId, agent: named }: RunRequest,
  { said, tasks }: { said: Said; tasks: ThreadTask[] },
  call: Call,
): Promise<Work | string> {
  const last = tasks.map(agentOf).find(({ id }) => id !== concord.id);
  const to = named ?? (await agentForIntent(parts, said.text, call)) ?? last?.id;
  const message = { messageId: said.id, contextId: threadId, taskId: '' };
  if (to === undefined) {
    if (!parts.answers || said.text === '') return nobodyHere;
    const input = { question: said.text };
    const asked = { ...message, parts: [dataPart({ skill: 'ask', ...input })] };
    return { agent: concord, asked: { tool: 'ask', input }, stream: () => send(parts.handler, asked, call) };
  }
  const asked = { ...message, parts: [dataPart({ skill: 'delegate', to, message: said.parts })] };
  return {
    agent: { id: to, name: to },
    asked: { tool: 'delegate', input: { to, message: said.text } },
    stream: () => send(parts.handler, asked, call),
  };
}

const concord = { id: 'concord', name: 'concord' };

const nobodyHere =
  'No agent that is registered here says that it can do this. Say it in other words, or name the agent.';

/** Who does a task. */
const agentOf = ({ agentId }: ThreadTask) => (agentId === undefined ? concord : { id: agentId, name: agentId });

function answerTo({ id, contextId }: Task, { runId, said }: RunRequest, parts: object[]) {
  return { messageId: said?.id ?? runId, contextId, taskId: id, parts: parts.map((part) => Part.fromJSON(part)) };
}

/** What a front end answers an interrupt with: a text, or data. */
function payloadParts(payload: unknown): object[] {
  const answer = isObject(payload) && typeof payload.answer === 'string' ? payload.answer : payload;
  if (typeof answer === 'string') return [{ text: answer }];
  return [isObject(answer) ? { data: answer } : { text: JSON.stringify(answer ?? null) }];
}

const dataPart = (data: object): Part => Part.fromJSON({ data });

async function* send(
  handler: A2ARequestHandler,
  message: { messageId: string; contextId: string; taskId: string; parts: Part[] },
  call: Call,
): AsyncGenerator<StreamResponse, void> {
  const request: SendMessageRequest = {
    tenant: '',
    message: { ...message, role: Role.ROLE_USER, metadata: undefined, extensions: [], referenceTaskIds: [] },
    configuration: undefined,
    metadata: undefined,
  };
  yield* handler.sendMessageStream(request, contextOf(call, '1.0'));
}

/** Hears of a task once more: all that it has made, and what comes. */
async function* again(handler: A2ARequestHandler, { id }: Task, call: Call): AsyncGenerator<StreamResponse, void> {
  const task = await handler.getTask({ tenant: '', id, historyLength: 0 }, contextOf(call, '1.0'));
  if (isResting(stateName(task.status?.state ?? 0))) yield { payload: { $case: 'task', value: task } };
  else yield* handler.resubscribe({ tenant: '', id }, contextOf(call, '1.0'));
}

function cancelled(handler: A2ARequestHandler, task: ThreadTask, call: Call): Work {
  return {
    agent: agentOf(task),
    async *stream() {
      const isOver = isEnded(stateName(task.status?.state ?? 0));
      const context = contextOf(call, '1.0');
      const value = isOver ? task : await handler.cancelTask({ tenant: '', id: task.id, metadata: undefined }, context);
      yield { payload: { $case: 'task', value: { ...value, artifacts: [] } } };
    },
  };
}

async function* plainAnswer(text: string, runId: string): AsyncGenerator<Event, void> {
  const messageId = `${runId}-1`;
  yield { type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant' };
  yield { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta: text };
  yield { type: EventType.TEXT_MESSAGE_END, messageId };
}
