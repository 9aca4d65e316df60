import { randomUUID } from 'node:crypto';
import { type Part as CorePart, Role, type SendMessageRequest } from '@a2a-js/sdk';
import { skillNamed } from '../../skills/assignment.ts';
import type { Skills } from '../../skills/skill.ts';
import type { PartGiven, SendGiven } from './messages.ts';

/** What the metadata of a data part keeps its schema's name as. */
export const schemaName = 'schema_name';
/** Of an image whose type isn't said. */
export const someImage = 'image/*';

/** The message of A2A 1.0 that a request stands for. */
export function coreRequest({ input, task_id, context_id, metadata }: SendGiven): SendMessageRequest {
  const last = input.messages.at(-1);
  return {
    tenant: '',
    message: {
      messageId: last?.id ?? randomUUID(),
      contextId: context_id ?? '',
      taskId: task_id ?? '',
      role: Role.ROLE_USER,
      parts: last?.parts.map(corePart) ?? [],
      metadata: last?.metadata,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata,
  };
}

/** The same, answered at once where the skill has no end of its own that is worth waiting for. */
export function waitingRequest(request: SendMessageRequest, skills: Skills): SendMessageRequest {
  const skill = skills.get(skillNamed(request) ?? '');
  // A delegation has a limit of its own, and an end.
  if (!skill?.endsItself || skill.lasting) return request;
  const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true };
  return { ...request, configuration };
}

function corePart(part: PartGiven): CorePart {
  const { metadata } = part;
  if (part.type === 'text') return coreOf({ $case: 'text', value: part.text }, 'text/plain', metadata);
  if (part.type === 'data') {
    const named = part.schema_name === undefined ? metadata : { ...metadata, [schemaName]: part.schema_name };
    return coreOf({ $case: 'data', value: part.data }, 'application/json', named);
  }
  const { name = '', mime_type = '', data, uri = '' } = part;
  const mediaType = part.type === 'image' && !mime_type.startsWith('image/') ? someImage : mime_type;
  const content: CorePart['content'] =
    data === undefined ? { $case: 'url', value: uri } : { $case: 'raw', value: Buffer.from(data, 'base64') };
  return { ...coreOf(content, mediaType, metadata), filename: name };
}

function coreOf(content: CorePart['content'], mediaType: string, metadata: CorePart['metadata']): CorePart {
  return { content, metadata, filename: '', mediaType };
}
