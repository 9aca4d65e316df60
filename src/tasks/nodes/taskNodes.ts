import { Artifact, Message, Part, type Task, type TaskStatus } from '@a2a-js/sdk';
import type { DateTime } from 'neo4j-driver';
import { stateOf } from './taskState.ts';

/** Which task. */
export interface TaskKey {
  tenant: string;
  id: string;
}

export function keyText({ tenant, id }: TaskKey): string {
  return JSON.stringify([tenant, id]);
}

/** A `Message` node's properties, but for the key; lists and objects are JSON text. */
export interface MessageNode {
  messageId: string;
  contextId: string;
  role: string;
  /** Its text parts, for reading. */
  text: string;
  parts: string;
  extensions: string[];
  referenceTaskIds: string[];
  metadata: string | null;
}

/** An `Artifact` node's. */
export interface ArtifactNode {
  artifactId: string;
  name: string;
  description: string;
  parts: string;
  extensions: string[];
  metadata: string | null;
}

/** A `Task` node's, as far as they make a task. */
export interface TaskNode {
  id: string;
  contextId: string;
  state: string;
  statusAt: DateTime<number>;
  statusMessage: string | null;
  metadata: string | null;
}

/** By the SDK's codec, for plain JSON would break binary parts. */
const partsText = (parts: Part[]) => JSON.stringify(parts.map((part) => Part.toJSON(part)));
const textOrNull = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value));
const objectOf = (text: string | null): Record<string, unknown> | undefined => (text ? JSON.parse(text) : undefined);

export function messageNodeOf(message: Message): MessageNode {
  const { messageId, contextId, parts, extensions, referenceTaskIds, metadata } = message;
  const texts = parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
  return {
    messageId,
    contextId,
    role: (Message.toJSON(message) as { role: string }).role,
    text: texts.join('\n'),
    parts: partsText(parts),
    extensions: extensions ?? [],
    referenceTaskIds: referenceTaskIds ?? [],
    metadata: textOrNull(metadata),
  };
}

function messageOf({ parts, metadata, text: _, ...rest }: MessageNode, taskId: string): Message {
  return Message.fromJSON({ ...rest, taskId, parts: JSON.parse(parts), metadata: objectOf(metadata) });
}

export function artifactNodeOf(artifact: Artifact): ArtifactNode {
  const { artifactId, name, description, parts, extensions, metadata } = artifact;
  return {
    artifactId,
    name: name ?? '',
    description: description ?? '',
    parts: partsText(parts),
    extensions: extensions ?? [],
    metadata: textOrNull(metadata),
  };
}

function artifactOf({ parts, metadata, ...rest }: ArtifactNode): Artifact {
  return Artifact.fromJSON({ ...rest, parts: JSON.parse(parts), metadata: objectOf(metadata) });
}

/** The message of a status as JSON text: it need not be in the history. */
export function statusMessageText({ message }: TaskStatus): string | null {
  return message ? JSON.stringify(Message.toJSON(message)) : null;
}

export function metadataText({ metadata }: Task): string | null {
  return textOrNull(metadata);
}

export function taskOf(task: TaskNode, history: MessageNode[], artifacts: ArtifactNode[]): Task {
  const { id, contextId, state, statusAt, statusMessage, metadata } = task;
  return {
    id,
    contextId,
    status: {
      state: stateOf(state),
      message: statusMessage ? Message.fromJSON(JSON.parse(statusMessage)) : undefined,
      timestamp: statusAt.toStandardDate().toISOString(),
    },
    history: history.map((each) => messageOf(each, id)),
    artifacts: artifacts.map(artifactOf),
    metadata: objectOf(metadata),
  };
}
