import { randomUUID } from 'node:crypto';
import {
  type Part as CorePart,
  type TaskPushNotificationConfig as CorePushConfig,
  Role,
  type SendMessageRequest,
} from '@a2a-js/sdk';
import { ContentTypeNotSupportedError, PushNotificationNotSupportedError } from '@a2a-js/sdk/errors';
import { ProtocolError } from '../../a2a/protocol/protocolError.ts';
import type { MessageGiven, PushNotificationConfigGiven, SendParams } from './messages.ts';

/** A task has one configuration in this dialect; in A2A 1.0 they have ids. */
export const configId = 'default';

/** Modes of which an answer has something: it is text in the status, and data in artifacts. */
const served = new Set(['text', 'text/plain', 'text/*', 'data', 'application/json', 'application/*', '*/*', '*']);

/**
 * The message of A2A 1.0 that a `tasks/send` stands for.
 * @throws ProtocolError -32003, -32005
 */
export function sendRequest(params: SendParams, taskId: string, pushNotifications: boolean): SendMessageRequest {
  const { sessionId, message, acceptedOutputModes = [], pushNotification, historyLength, metadata } = params;
  if (acceptedOutputModes.length > 0 && !acceptedOutputModes.some((mode) => served.has(mode.trim().toLowerCase()))) {
    throw ProtocolError.of(new ContentTypeNotSupportedError('Answers are text/plain and application/json'));
  }
  if (pushNotification && !pushNotifications) throw ProtocolError.of(new PushNotificationNotSupportedError());
  return {
    tenant: '',
    message: {
      messageId: randomUUID(),
      contextId: sessionId ?? '',
      taskId,
      role: Role.ROLE_USER,
      parts: message.parts.map(corePart),
      metadata: message.metadata,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: {
      acceptedOutputModes,
      taskPushNotificationConfig: pushNotification && corePushConfig('', pushNotification),
      historyLength,
      returnImmediately: false,
    },
    metadata,
  };
}

/** @param taskId '' where it is said beside */
export function corePushConfig(
  taskId: string,
  { url, token = '', authentication }: PushNotificationConfigGiven,
): CorePushConfig {
  const { schemes: [scheme = ''] = [], credentials = '' } = authentication ?? {};
  return {
    tenant: '',
    id: configId,
    taskId,
    url,
    token,
    authentication: authentication && { scheme, credentials },
  };
}

function corePart(part: MessageGiven['parts'][number]): CorePart {
  const { metadata } = part;
  if (part.type === 'text') return coreOf({ $case: 'text', value: part.text }, metadata, { mediaType: 'text/plain' });
  if (part.type === 'data') {
    return coreOf({ $case: 'data', value: part.data }, metadata, { mediaType: 'application/json' });
  }
  const { name: filename, mimeType: mediaType, bytes, uri = '' } = part.file;
  const content: CorePart['content'] =
    bytes === undefined ? { $case: 'url', value: uri } : { $case: 'raw', value: Buffer.from(bytes, 'base64') };
  return coreOf(content, metadata, { filename, mediaType });
}

function coreOf(
  content: CorePart['content'],
  metadata: CorePart['metadata'],
  { filename = '', mediaType = '' }: { filename?: string | undefined; mediaType?: string | undefined },
): CorePart {
  return { content, metadata, filename, mediaType };
}
