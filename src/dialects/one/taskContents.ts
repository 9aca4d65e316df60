import { type Artifact, type Message, Part, type Task, type TaskStatus } from '@a2a-js/sdk';
import type { MessageType } from '../../agents/envelopes/envelope.ts';
import { envelopeError } from '../../agents/envelopes/errorCodes.ts';
import { ConcordError, ErrorCode as codes, type ErrorCode, type ErrorData } from '../../base/errors.ts';
import { isObject } from '../../base/isObject.ts';
import { refuse } from '../../base/reasons.ts';
import { stateName } from '../../tasks/nodes/taskState.ts';
import type { Begin } from './member.ts';

/** What a message of ONE says. */
export interface Content {
  type: MessageType;
  content: Record<string, unknown>;
}

type TaskOf = Pick<Task, 'id' | 'status' | 'artifacts'>;

/** How a task stands: what is told of it once it rests, and until then that it was accepted. */
export function taskContent(task: TaskOf, begin: Begin | undefined): Content {
  const { id: taskId, status } = task;
  const state = stateName(status?.state ?? 0);
  if (state === 'SUBMITTED' || state === 'WORKING') return acceptance(taskId, begin);
  const { text, data } = saidIn(status?.message);
  if (state === 'INPUT_REQUIRED' || state === 'AUTH_REQUIRED') {
    return { type: 'query', content: { taskId, question: text, ...(data && { data }) } };
  }
  if (state === 'COMPLETED') {
    return { type: 'task_result', content: { taskId, status: 'completed', result: resultOf(task) } };
  }
  const { code, message, details, retryable } = envelopeError(errorOf(task));
  if (state === 'REJECTED') {
    const made = task.artifacts.length > 0 ? { result: resultOf(task) } : {};
    return { type: 'task_rejection', content: { taskId, code, message, details, retryable, ...made } };
  }
  const made = task.artifacts.length > 0 ? { status: 'partial', result: resultOf(task) } : { status: 'failed' };
  return { type: 'task_result', content: { taskId, ...made, error: { code, message, details, retryable } } };
}

export function acceptance(taskId: string, begin: Begin | undefined): Content {
  const skills = begin?.skill === undefined ? [] : [begin.skill];
  return { type: 'task_acceptance', content: { taskId, ...estimated(begin), capabilities: skills } };
}

/** What is said of a task while it works; undefined where that is nothing. */
export function progressContent({ id: taskId, status }: TaskOf, begin: Begin | undefined): Content | undefined {
  const { text: message, data } = saidIn(status?.message);
  if (message === '' && !data) return undefined;
  return { type: 'status_update', content: { taskId, progress: progressIn(data), message, ...estimated(begin) } };
}

/** The answer to a question, and to the question how a task stands. */
export function responseContent(task: TaskOf, begin: Begin | undefined): Content {
  const { type, content } = taskContent(task, begin);
  if (type === 'query') return { type, content };
  if (type === 'task_acceptance') {
    const progress = progressContent(task, begin)?.content ?? { taskId: task.id, progress: 0, ...estimated(begin) };
    return { type: 'response', content: { ...progress, status: 'working' } };
  }
  if (type === 'task_result') return { type: 'response', content };
  const { taskId, result, ...error } = content;
  return { type: 'response', content: { taskId, status: 'failed', ...(result !== undefined && { result }), error } };
}

const estimated = (begin: Begin | undefined) => (begin ? { estimatedCompletion: begin.until } : {});

/** Of a workflow it is known how far it is. 0 to 100. */
function progressIn(data: Record<string, unknown> | undefined): number {
  const { progress = data?.progress } = isObject(data?.workflow) ? data.workflow : {};
  return typeof progress === 'number' ? Math.min(100, Math.max(0, progress)) : 0;
}

/**
 * What a task has made: the last data part of its artifacts; where there is none their texts; where there are none what
 * its status says. The same as a workflow takes for the result of a step.
 */
function resultOf({ artifacts, status }: TaskOf): unknown {
  const parts = artifacts.flatMap((artifact: Artifact) => artifact.parts);
  const data = parts.findLast(({ content }) => content?.$case === 'data')?.content;
  if (data?.$case === 'data') return data.value;
  const files = parts.filter(({ content }) => content?.$case === 'raw' || content?.$case === 'url');
  if (files.length > 0) return { parts: parts.map((part) => Part.toJSON(part)) };
  const made = textsOf(parts);
  return made.length > 0 ? made.join('\n') : saidIn(status?.message).text;
}

/** Why a task has ended as it has: what a skill threw, or what the status says. */
function errorOf({ status }: { status: TaskStatus | undefined }): Pick<ConcordError, 'code' | 'message' | 'data'> {
  const { text, data } = saidIn(status?.message);
  const state = stateName(status?.state ?? 0);
  if (state === 'CANCELED') return refuse('task-cancelled', 'The task was cancelled');
  if (!isObject(data?.error)) {
    const beside = data ? { said: data } : {};
    return state === 'REJECTED'
      ? new ConcordError(codes.AlignmentViolation, text || 'The task was rejected', beside)
      : refuse('task-failed', text || 'The task failed', beside);
  }
  const { code, message, data: told } = data.error;
  return { code: code as ErrorCode, message: String(message), data: isObject(told) ? (told as ErrorData) : {} };
}

function saidIn(message: Message | undefined): { text: string; data: Record<string, unknown> | undefined } {
  const parts = message?.parts ?? [];
  const data = parts.map(({ content }) => content).find((content) => content?.$case === 'data')?.value as unknown;
  return { text: textsOf(parts).join('\n'), data: isObject(data) ? data : undefined };
}

const textsOf = (parts: readonly Part[]) =>
  parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
