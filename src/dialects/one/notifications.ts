import type { StreamResponse, Task } from '@a2a-js/sdk';
import canonicalize from 'canonicalize';
import { headersOf } from '../../agents/envelopes/envelope.ts';
import type { Seals } from '../../agents/envelopes/seals.ts';
import { uuidOf } from '../../agents/envelopes/uuidOf.ts';
import type { MessageEvents } from '../../agents/events/messageEvents.ts';
import type { Serializer } from '../../push/serializer.ts';
import { isResting, stateName } from '../../tasks/nodes/taskState.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { written } from './answers.ts';
import { type Begin, begunWith } from './member.ts';
import { notedOf } from './noted.ts';
import { type Content, progressContent, taskContent } from './taskContents.ts';

export interface NotificationParts {
  events: MessageEvents;
  /** Where Concord takes messages, as others reach it. */
  endpoint(): string;
  seals: Seals;
  logger: Logger;
}

/** What is sent to the callback of a delegation: how far its task is, what it asks, and what came of it. */
export function oneNotifications({ events, endpoint, seals, logger }: NotificationParts): Serializer {
  return {
    async serialize({ payload }, task, { tenant, owner }) {
      const begin = task && begunWith(task);
      const content = task && begin && contentOf(payload, task, begin);
      if (!content || !begin) return undefined;
      const { correlationId, sender, to: from, endpoint: there, priority } = begin;
      const way = { groupId: tenant, correlationId, from, to: sender, endpoint: there, priority };
      const messageId = idOf(task.id, content);
      const message = written({ messageId, now: Date.now(), endpoint: endpoint() }, way, content);
      await events.note(notedOf(message, { tenant, agentId: owner })).catch((err: unknown) => {
        logger.warn({ err }, 'a message to a callback is not kept');
      });
      const sealed = await seals.seal(message);
      return { body: JSON.stringify(sealed), contentType: 'application/json', headers: headersOf(message) };
    },
  };
}

/** The same of what is said again, as where the replica died that said it first. */
function idOf(taskId: string, { type, content }: Content): string {
  return uuidOf(canonicalize(['one', taskId, type, content]) ?? '');
}

/** What it makes meanwhile is told as a whole, once it rests. */
function contentOf(payload: StreamResponse['payload'], task: Task, begin: Begin): Content | undefined {
  if (payload?.$case !== 'statusUpdate') return undefined;
  const { status } = payload.value;
  const now = { ...task, status };
  return isResting(stateName(status?.state ?? 0)) ? taskContent(now, begin) : progressContent(now, begin);
}
