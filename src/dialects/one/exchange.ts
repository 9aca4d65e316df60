import { type Part, Role, type SendMessageRequest, type Task } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { contextOf } from '../../a2a/protocol/callContext.ts';
import { delegationMember } from '../../agents/delegation/protocols/remoteAgent.ts';
import { query, response } from '../../agents/envelopes/contents.ts';
import { envelopeMember } from '../../agents/envelopes/envelope.ts';
import { unknownCorrelation } from '../../agents/events/conversations.ts';
import type { Noted } from '../../agents/events/messageEvents.ts';
import { ConcordError, ErrorCode } from '../../base/errors.ts';
import { isObject } from '../../base/isObject.ts';
import type { Call } from '../../calls/call.ts';
import type { Agent } from '../agentos/agents.ts';
import type { Admitted } from './admission.ts';
import { type Begin, beginOf, begunWith } from './member.ts';
import { acceptance, type Content, responseContent, taskContent } from './taskContents.ts';
import { contentOf, type Work, type WorkLimits, workOf } from './work.ts';

/** What its tasks and receivers are marked with. */
export const dialectName = 'one';

export interface ExchangeParts {
  handler: A2ARequestHandler;
  /** Concord's own agent of an id; undefined for one that is registered. @throws ConcordError `unknown-agent` */
  agentOf(id: string, call: Call): Promise<Agent | undefined>;
  limits: WorkLimits;
  /** Milliseconds since 1970. */
  now(): number;
}

/** A message that comes a second time while the first is handled; after that its replica has died. */
const handlingMs = 30_000;

/**
 * What a message is answered that begins a task, goes on with one, or asks how one stands.
 * @throws ConcordError
 */
export async function exchanged(parts: ExchangeParts, admitted: Admitted, noted: Noted, call: Call): Promise<Content> {
  const { type, content } = admitted.envelope.message;
  if (type === 'response') return answered(parts, admitted, noted, call);
  const question = type === 'query' ? contentOf(query, content) : undefined;
  if (question && 'taskId' in question && question.taskId !== undefined) {
    const task = await parts.handler.getTask(asked(question.taskId), contextOf(call, '1.0'));
    return responseContent(task, begunWith(task));
  }
  const told = type === 'query' ? responseContent : taskContent;
  const { taskId } = noted;
  const known = noted.isNew ? undefined : await taskOf(parts.handler, taskId, call);
  if (known) return told(known, begunWith(known));
  const { to } = admitted.envelope;
  const work = workOf({ ...parts, now: parts.now(), agent: await parts.agentOf(to.agentId, call) }, admitted);
  const begin = beginOf(admitted, work, parts.now());
  // Its first is being handled at this moment.
  if (!noted.isNew && noted.ageMs < handlingMs) return acceptance(taskId, begin);
  return begun(parts, admitted, { taskId, work, begin, told }, call);
}

interface Beginning {
  taskId: string;
  work: Work;
  begin: Begin;
  told(task: Task, begin: Begin): Content;
}

async function begun(
  { handler }: ExchangeParts,
  { envelope, correlationId }: Admitted,
  { taskId, work, begin, told }: Beginning,
  call: Call,
): Promise<Content> {
  const { asked: what, callback, mostMs: timeoutMs } = work;
  const handedOn = envelope.metadata?.[delegationMember];
  const request = messageOf({
    ...{ messageId: envelope.messageId, contextId: correlationId, taskId, callback },
    parts: ['text' in what ? textPart(what.text) : dataPart({ ...what.input, skill: what.skill })],
    metadata: { [envelopeMember]: begin, ...(handedOn !== undefined && { [delegationMember]: handedOn }) },
  });
  const context = contextOf(call, dialectName, { dialect: dialectName, chosenId: taskId, timeoutMs });
  const answer = await handler.sendMessage(request, context);
  // Who speaks a dialect is answered with a task.
  if (!('status' in answer)) throw new Error('A message of ONE was answered without a task');
  return told(answer, begin);
}

/** A task that needed to know more goes on with what it is told. Told twice, it is told how it stands. */
async function answered({ handler }: ExchangeParts, admitted: Admitted, noted: Noted, call: Call): Promise<Content> {
  const { messageId, message } = admitted.envelope;
  const { taskId, answer, data } = contentOf(response, message.content);
  const task = await handler.getTask(asked(taskId), contextOf(call, '1.0'));
  const begin = begunWith(task);
  if (task.contextId !== admitted.correlationId) throw unknownCorrelation(admitted.correlationId);
  if (!noted.isNew && task.history.some((each) => each.messageId === messageId)) return taskContent(task, begin);
  if (!noted.isNew && noted.ageMs < handlingMs) return acceptance(taskId, begin);
  const said = isObject(answer) || Array.isArray(answer) ? [dataPart(answer)] : [textPart(String(answer))];
  const request = messageOf({
    ...{ messageId, contextId: task.contextId, taskId, callback: undefined },
    parts: [...(answer == null ? [] : said), ...(data ? [dataPart(data)] : [])],
    metadata: undefined,
  });
  const returnImmediately = begin?.isTold === true;
  const sent = await handler.sendMessage(
    { ...request, configuration: { ...configuration, returnImmediately } },
    contextOf(call, '1.0'),
  );
  if (!('status' in sent)) throw new Error('A message to a task was answered without it');
  return taskContent(sent, begin);
}

const asked = (id: string) => ({ tenant: '', id, historyLength: undefined });
const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: false };

async function taskOf(handler: A2ARequestHandler, id: string, call: Call): Promise<Task | undefined> {
  try {
    return await handler.getTask(asked(id), contextOf(call, '1.0'));
  } catch (error) {
    if (error instanceof ConcordError && error.code === ErrorCode.TaskNotFound) return undefined;
    throw error;
  }
}

interface Said {
  messageId: string;
  contextId: string;
  taskId: string;
  parts: Part[];
  metadata: Record<string, unknown> | undefined;
  callback: string | undefined;
}

function messageOf({ callback: url, ...said }: Said): SendMessageRequest {
  const receiver = { tenant: '', id: dialectName, taskId: '', token: '', authentication: undefined };
  return {
    tenant: '',
    message: { ...said, role: Role.ROLE_USER, extensions: [], referenceTaskIds: [] },
    configuration: {
      ...configuration,
      ...(url !== undefined && { returnImmediately: true, taskPushNotificationConfig: { ...receiver, url } }),
    },
    metadata: undefined,
  };
}

const textPart = (value: string): Part => ({
  ...{ metadata: undefined, filename: '', mediaType: 'text/plain' },
  content: { $case: 'text', value },
});
const dataPart = (value: object): Part => ({
  ...{ metadata: undefined, filename: '', mediaType: 'application/json' },
  content: { $case: 'data', value },
});
