import {
  type Artifact as CoreArtifact,
  type Message as CoreMessage,
  type Part as CorePart,
  type TaskPushNotificationConfig as CorePushConfig,
  type TaskStatus as CoreStatus,
  type Task as CoreTask,
  TaskState as CoreTaskState,
  Role,
} from '@a2a-js/sdk';
import { metadataOf } from '../../a2a/handler/dialectTasks.ts';
import { isObject } from '../../base/isObject.ts';
import type { Artifact, Message, Part, Task, TaskPushNotificationConfig, TaskState, TaskStatus } from './messages.ts';

const states: Partial<Record<CoreTaskState, TaskState>> = {
  [CoreTaskState.TASK_STATE_SUBMITTED]: 'submitted',
  [CoreTaskState.TASK_STATE_WORKING]: 'working',
  [CoreTaskState.TASK_STATE_INPUT_REQUIRED]: 'input-required',
  [CoreTaskState.TASK_STATE_AUTH_REQUIRED]: 'input-required',
  [CoreTaskState.TASK_STATE_COMPLETED]: 'completed',
  [CoreTaskState.TASK_STATE_CANCELED]: 'canceled',
  [CoreTaskState.TASK_STATE_FAILED]: 'failed',
  [CoreTaskState.TASK_STATE_REJECTED]: 'failed',
};

/** States after which nothing comes without the client. */
const resting: TaskState[] = ['input-required', 'completed', 'canceled', 'failed'];

export function isResting({ state }: TaskStatus): boolean {
  return resting.includes(state);
}

/** @param historyLength how many of its last messages are told; none if absent */
export function writeTask(task: CoreTask, historyLength = 0): Task {
  const { id, contextId: sessionId, status, artifacts, history } = task;
  const metadata = metadataOf(task);
  const told = historyLength > 0 ? history.slice(-historyLength).map(writeMessage) : [];
  return {
    id,
    sessionId,
    status: writeStatus(status),
    ...(artifacts.length > 0 && { artifacts: artifacts.map(writeArtifact) }),
    ...(told.length > 0 && { history: told }),
    ...(metadata && { metadata }),
  };
}

export function writeStatus(status: CoreStatus | undefined): TaskStatus {
  const { state = CoreTaskState.TASK_STATE_UNSPECIFIED, message, timestamp } = status ?? {};
  return {
    state: states[state] ?? 'unknown',
    ...(message && { message: writeMessage(message) }),
    timestamp: timestamp ?? new Date().toISOString(),
  };
}

export function writeArtifact({ name, description, parts, metadata }: CoreArtifact, index: number): Artifact {
  return {
    ...(name && { name }),
    ...(description && { description }),
    parts: parts.map(writePart),
    index,
    ...(metadata && { metadata }),
  };
}

export function writeMessage({ role, parts, metadata }: CoreMessage): Message {
  return {
    role: role === Role.ROLE_AGENT ? 'agent' : 'user',
    parts: parts.map(writePart),
    ...(metadata && { metadata }),
  };
}

export function writePushConfig(taskId: string, config: CorePushConfig): TaskPushNotificationConfig {
  const { url, token, authentication } = config;
  return {
    id: taskId,
    pushNotificationConfig: {
      url,
      ...(token && { token }),
      ...(authentication && {
        authentication: {
          schemes: authentication.scheme ? [authentication.scheme] : [],
          ...(authentication.credentials && { credentials: authentication.credentials }),
        },
      }),
    },
  };
}

function writePart({ content, metadata, filename, mediaType }: CorePart): Part {
  const beside = metadata && { metadata };
  if (content?.$case === 'data') {
    // Here data is an object, in A2A 1.0 any JSON.
    const data = isObject(content.value) ? content.value : { value: content.value };
    return { type: 'data', data, ...beside };
  }
  const told = { ...(filename && { name: filename }), ...(mediaType && { mimeType: mediaType }) };
  if (content?.$case === 'raw') {
    return { type: 'file', file: { ...told, bytes: Buffer.from(content.value).toString('base64') }, ...beside };
  }
  if (content?.$case === 'url') return { type: 'file', file: { ...told, uri: content.value }, ...beside };
  return { type: 'text', text: content?.value ?? '', ...beside };
}
