import { type Artifact, type Message, type Part, Role, type Task, TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutionEvent, type RequestContext } from '@a2a-js/sdk/server';
import type { DataArtifact, GrowingArtifact, GrowingParts, SkillOutcome } from './skill.ts';

const states: Record<SkillOutcome['state'], TaskState> = {
  completed: TaskState.TASK_STATE_COMPLETED,
  'input-required': TaskState.TASK_STATE_INPUT_REQUIRED,
  rejected: TaskState.TASK_STATE_REJECTED,
  failed: TaskState.TASK_STATE_FAILED,
};

/** Which task events are about. */
export interface TaskIds {
  taskId: string;
  contextId: string;
}

/** Makes ids and says what time it is. */
export interface EventParts {
  uuid(): string;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The events of a task, as the SDK takes them. */
export class TaskEvents {
  constructor(private readonly parts: EventParts) {}

  /** The task itself, which must be the first event, on follow-ups too. */
  begun({ task, taskId, contextId, userMessage }: RequestContext): AgentExecutionEvent {
    const begun: Task = {
      id: taskId,
      contextId,
      status: {
        state: task ? TaskState.TASK_STATE_WORKING : TaskState.TASK_STATE_SUBMITTED,
        message: undefined,
        timestamp: this.timestamp(),
      },
      artifacts: task?.artifacts ?? [],
      history: task?.history ?? [userMessage],
      metadata: task?.metadata,
    };
    return AgentEvent.task(begun);
  }

  status(ids: TaskIds, state: TaskState, message?: Message): AgentExecutionEvent {
    return AgentEvent.statusUpdate({
      ...ids,
      status: { state, message, timestamp: this.timestamp() },
      metadata: undefined,
    });
  }

  /** How it ended, in words and in data. */
  ended(ids: TaskIds, { state, text, data }: Pick<SkillOutcome, 'state' | 'text' | 'data'>) {
    return this.status(ids, states[state], this.message(ids, text, data));
  }

  /** A whole artifact. */
  artifact(ids: TaskIds, artifact: DataArtifact): AgentExecutionEvent {
    return this.update(ids, { ...artifact, id: this.parts.uuid(), append: false }, true);
  }

  /** A part of an artifact; whether it is the last is known by the end of the task. */
  part(ids: TaskIds, artifact: GrowingArtifact | GrowingParts): AgentExecutionEvent {
    return this.update(ids, artifact, false);
  }

  message({ taskId, contextId }: TaskIds, text: string, data?: object): Message {
    return {
      messageId: this.parts.uuid(),
      contextId,
      taskId,
      role: Role.ROLE_AGENT,
      parts: [textPart(text), ...(data ? [dataPart(data)] : [])],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
  }

  private update(
    ids: TaskIds,
    { id, append, name, description, ...content }: GrowingArtifact | GrowingParts,
    lastChunk: boolean,
  ): AgentExecutionEvent {
    const artifact: Artifact = {
      artifactId: id,
      name,
      description,
      parts: 'parts' in content ? content.parts : [dataPart(content.data)],
      metadata: undefined,
      extensions: [],
    };
    return AgentEvent.artifactUpdate({ ...ids, artifact, append, lastChunk, metadata: undefined });
  }

  private timestamp(): string {
    return new Date(this.parts.now()).toISOString();
  }
}

function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

function dataPart(value: object): Part {
  return {
    content: { $case: 'data', value },
    metadata: undefined,
    filename: '',
    mediaType: 'application/json',
  };
}
