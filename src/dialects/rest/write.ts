import {
  type Artifact as CoreArtifact,
  type Message as CoreMessage,
  type Part as CorePart,
  type Task as CoreTask,
  Role,
} from '@a2a-js/sdk';
import { metadataOf } from '../../a2a/handler/dialectTasks.ts';
import { isObject } from '../../base/isObject.ts';
import type { Artefact, Message, Output, Part, TaskAnswer } from './messages.ts';
import { stateOf } from './progress.ts';
import { schemaName } from './read.ts';

export function writeTask(task: CoreTask): TaskAnswer {
  const { id, contextId: context_id, status } = task;
  const metadata = metadataOf(task);
  return { task: { id, context_id, state: stateOf(status), output: writeOutput(task), ...(metadata && { metadata }) } };
}

/** What came of a task: what it says last, and what it has made. */
export function writeOutput({ status, artifacts }: Pick<CoreTask, 'status' | 'artifacts'>): Output {
  const messages = status?.message ? [writeMessage(status.message, status.timestamp)] : [];
  return { messages, artefacts: artifacts.map(writeArtefact) };
}

export function writeArtefact({ artifactId: id, name, description, parts, metadata }: CoreArtifact): Artefact {
  return { id, title: name || 'result', description, parts: parts.map(writePart), ...(metadata && { metadata }) };
}

export function writeMessage(
  { messageId: id, role, parts, metadata }: CoreMessage,
  timestamp?: string | undefined,
): Message {
  return {
    id,
    role: role === Role.ROLE_USER ? 'user' : 'assistant',
    parts: parts.map(writePart),
    ...(timestamp !== undefined && { timestamp }),
    ...(metadata && { metadata }),
  };
}

function writePart({ content, metadata, filename, mediaType }: CorePart): Part {
  if (content?.$case === 'data') return writeData(content.value, metadata);
  const beside = metadata && { metadata };
  if (content?.$case !== 'raw' && content?.$case !== 'url') {
    return { type: 'text', text: content?.value ?? '', ...beside };
  }
  return {
    type: mediaType.startsWith('image/') ? 'image' : 'file',
    ...(filename && { name: filename }),
    ...(mediaType && { mime_type: mediaType }),
    ...(content.$case === 'raw' ? { data: Buffer.from(content.value).toString('base64') } : { uri: content.value }),
    ...beside,
  };
}

/** Here data is an object, in A2A 1.0 any JSON. */
function writeData(value: unknown, metadata: CorePart['metadata']): Part {
  const { [schemaName]: schema, ...rest } = metadata ?? {};
  return {
    type: 'data',
    data: isObject(value) ? value : { value },
    ...(typeof schema === 'string' && { schema_name: schema }),
    ...(Object.keys(rest).length > 0 && { metadata: rest }),
  };
}
