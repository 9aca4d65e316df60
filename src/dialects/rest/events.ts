import type { Artifact, StreamResponse, Task, TaskArtifactUpdateEvent } from '@a2a-js/sdk';
import { ErrorCode } from '../../base/errors.ts';
import { isObject } from '../../base/isObject.ts';
import type { Fault, TaskEvent } from './messages.ts';
import { isOver, saidIn, shaping, stateOf } from './progress.ts';
import { writeArtefact, writeMessage, writeOutput } from './write.ts';

/** The events of one stream, from those of A2A 1.0. */
export class StreamEvents {
  private task: Task | undefined;

  /** The task's; '' until the first event has told it. */
  get taskId(): string {
    return this.task?.id ?? '';
  }

  take({ payload }: StreamResponse): TaskEvent[] {
    if (payload?.$case === 'message') return [answered(payload.value)];
    if (payload?.$case === 'task') this.task = taskOfItsOwn(payload.value);
    const { task } = this;
    if (!task || !payload) return [];
    if (payload.$case === 'artifactUpdate') return this.artifact(task, payload.value);
    if (payload.$case === 'statusUpdate') task.status = payload.value.status;
    return [statusEvent(task)];
  }

  /** How a stream ends whose task goes on without it. */
  broken(error: Fault): TaskEvent {
    const state = stateOf(this.task?.status);
    return { event: 'task_error', data: { task_id: this.taskId, ...state, error } };
  }

  private artifact(task: Task, { artifact, append }: TaskArtifactUpdateEvent): TaskEvent[] {
    if (!artifact) return [];
    keep(task.artifacts, artifact, append);
    const artefact = { ...writeArtefact(artifact), append };
    return [{ event: 'task_progress', data: { task_id: task.id, ...shaping(stateOf(task.status)), artefact } }];
  }
}

/** What comes is added to its artifacts, and others have the task too. */
function taskOfItsOwn(task: Task): Task {
  return { ...task, artifacts: task.artifacts.map((each) => ({ ...each, parts: [...each.parts] })) };
}

function keep(artifacts: Artifact[], artifact: Artifact, append: boolean): void {
  const at = artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
  const before = artifacts[at];
  if (before && append) {
    // In place: what has come is not gone through again with each further part.
    for (const part of artifact.parts) before.parts.push(part);
    return;
  }
  const own = { ...artifact, parts: [...artifact.parts] };
  if (before) artifacts[at] = own;
  else artifacts.push(own);
}

function statusEvent(task: Task): TaskEvent {
  const state = stateOf(task.status);
  const data = { task_id: task.id, ...state };
  if (!isOver(state)) return { event: 'task_progress', data };
  const output = writeOutput(task);
  if (state.status === 'completed') return { event: 'task_complete', data: { ...data, output } };
  if (state.status === 'input_required') return { event: 'task_progress', data: { ...data, output } };
  return { event: 'task_error', data: { ...data, error: errorOf(task, state.status_message), output } };
}

/** What a skill threw, as the status of its task keeps it. */
function errorOf({ status }: Task, otherwise: string): Fault {
  const { data } = saidIn(status?.message);
  const { code, message, data: further } = isObject(data?.error) ? data.error : {};
  return {
    code: typeof code === 'number' ? code : ErrorCode.UnsupportedOperation,
    message: typeof message === 'string' ? message : otherwise,
    data: isObject(further) ? further : {},
  };
}

/** An executor of somebody else's may answer without a task. */
function answered(message: Parameters<typeof writeMessage>[0]): TaskEvent {
  const output = { messages: [writeMessage(message)], artefacts: [] };
  const state = { status: 'completed', progress: 1, status_message: saidIn(message).text } as const;
  return { event: 'task_complete', data: { task_id: message.taskId, ...state, output } };
}
