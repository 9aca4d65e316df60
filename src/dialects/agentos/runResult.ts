import type { Artifact as A2aArtifact, Part as A2aPart, Message, StreamResponse, Task } from '@a2a-js/sdk';
import { ConcordError, ErrorCode, type ErrorData } from '../../base/errors.ts';
import { isObject } from '../../base/isObject.ts';
import { refuse } from '../../base/reasons.ts';
import { isEnded, isResting, stateName } from '../../tasks/nodes/taskState.ts';
import type { Artifact, Part, Progress, RunResult, TaskState } from './messages.ts';

/** What a task says of itself, in words and in data. */
interface Said {
  content: string;
  data: Record<string, unknown> | undefined;
}

type TaskOf = Pick<Task, 'id' | 'contextId' | 'status'>;

/**
 * What came of a run, as AgentOS has it.
 * @throws ConcordError of the task that was cancelled or failed, or whose skill refused its input
 */
export function runResult(answer: Task | Message): RunResult {
  if ('messageId' in answer) return { content: saidIn(answer).content, tool_calls: [], artifacts: [] };
  const task = taskState(answer);
  const { content, data } = saidIn(answer.status?.message);
  if (isObject(data?.error)) throw errorOf(data.error, task);
  if (task.state === 'canceled') throw refuse('task-cancelled', 'The task was cancelled', { task });
  if (task.state === 'failed') throw refuse('task-failed', content || 'The task failed', { task });
  const goesOn = !isResting(stateName(answer.status?.state ?? 0));
  return {
    content: content || (goesOn ? 'The task goes on: follow it, or cancel it, by its id' : ''),
    tool_calls: [],
    artifacts: answer.artifacts.map(artifactOf),
    task,
  };
}

/** A task as it stands over A2A. */
export function taskState({ id, contextId, status }: TaskOf): TaskState {
  const state =
    stateName(status?.state ?? 0)
      .toLowerCase()
      .replace('_', '-') || 'unspecified';
  return { id, context_id: contextId, state: state as TaskState['state'] };
}

/** What a stream of a task comes to: its progress, event by event, and its result. */
export class RunEvents {
  private answer: Task | Message | undefined;

  /** Of the task; known from the first event on. */
  get taskId(): string | undefined {
    return this.answer && 'id' in this.answer ? this.answer.id : undefined;
  }

  /** @returns what to tell of the event; nothing of an end, which the result tells */
  take({ payload }: StreamResponse): Progress | undefined {
    if (payload?.$case === 'task') this.answer = { ...payload.value, artifacts: [...payload.value.artifacts] };
    else if (payload?.$case === 'message') this.answer = payload.value;
    const task = this.answer && 'id' in this.answer ? this.answer : undefined;
    if (!task || !payload) return undefined;
    if (payload.$case === 'artifactUpdate') return this.artifact(task, payload.value);
    if (payload.$case === 'statusUpdate') task.status = payload.value.status;
    if (isEnded(stateName(task.status?.state ?? 0))) return undefined;
    const { content, data } = saidIn(task.status?.message);
    return { task: taskState(task), ...(content && { content }), ...(data && { data }) };
  }

  /** @throws ConcordError as `runResult` does */
  result(): RunResult {
    if (!this.answer) throw new Error('The stream ended before it began');
    return runResult(this.answer);
  }

  private artifact(
    task: Task,
    { artifact, append }: { artifact: A2aArtifact | undefined; append: boolean },
  ): Progress | undefined {
    if (!artifact) return undefined;
    const at = task.artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
    const before = task.artifacts[at];
    if (!before) task.artifacts.push(artifact);
    else task.artifacts[at] = append ? { ...before, parts: [...before.parts, ...artifact.parts] } : artifact;
    return { task: taskState(task), artifact: { ...artifactOf(artifact), append } };
  }
}

function artifactOf({ artifactId, name, description, parts }: A2aArtifact): Artifact {
  return { id: artifactId, name, description, parts: parts.map(partOf) };
}

function partOf({ content, filename, mediaType }: A2aPart): Part {
  const file = { type: 'file', name: filename, mime_type: mediaType } as const;
  if (content?.$case === 'raw') return { ...file, bytes: content.value.toString('base64') };
  if (content?.$case === 'url') return { ...file, uri: content.value };
  if (content?.$case === 'data') return { type: 'data', data: content.value };
  return { type: 'text', text: content?.value ?? '' };
}

function saidIn(message: Message | undefined): Said {
  const contents = message?.parts.map(({ content }) => content) ?? [];
  const data = contents.find((content) => content?.$case === 'data')?.value as unknown;
  const texts = contents.flatMap((content) => (content?.$case === 'text' ? [content.value] : []));
  return { content: texts.join('\n'), data: isObject(data) ? data : undefined };
}

/** What a skill threw, as the status of its task keeps it. */
function errorOf({ code, message, data }: Record<string, unknown>, task: TaskState): ConcordError {
  const told = isObject(data) ? (data as ErrorData) : {};
  return new ConcordError((code as ErrorCode) ?? ErrorCode.UnsupportedOperation, String(message), { ...told, task });
}
