import type { WrittenEnvelope } from '../../agents/envelopes/envelope.ts';
import type { NotedMessage } from '../../agents/events/messageEvents.ts';
import { isObject } from '../../base/isObject.ts';

/** A message of Concord's, as it is kept that it goes. */
export function notedOf(
  message: WrittenEnvelope,
  { tenant, agentId = '' }: { tenant: string; agentId?: string },
): NotedMessage {
  const { messageId, correlationId, from, to, metadata } = message;
  const { type, content } = message.message;
  const taskId = isObject(content) && typeof content.taskId === 'string' ? content.taskId : undefined;
  const isEnd = type === 'task_result' || type === 'task_rejection';
  return {
    ...{ tenant, direction: 'sent', messageId, messageType: type, correlationId, owner: agentId },
    ...{ from: from.agentId, to: to.agentId },
    ...(taskId !== undefined && { taskId }),
    ...(metadata?.priority !== undefined && { priority: metadata.priority }),
    ...(isEnd && { means: 'a2a_task_completed' }),
  };
}
