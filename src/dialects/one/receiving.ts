import type { IncomingHttpHeaders } from 'node:http';
import { meaningOf } from '../../agents/delegation/protocols/one.ts';
import type { WrittenEnvelope } from '../../agents/envelopes/envelope.ts';
import type { Seals } from '../../agents/envelopes/seals.ts';
import type { Conversations } from '../../agents/events/conversations.ts';
import type { MessageEvents, Noted, NotedMessage } from '../../agents/events/messageEvents.ts';
import { isObject } from '../../base/isObject.ts';
import { refuse } from '../../base/reasons.ts';
import type { Call } from '../../calls/call.ts';
import { asConcordError } from '../../calls/faults.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { type Admitted, admitted } from './admission.ts';
import { type AnswerParts, errorAnswer, wayBack, written } from './answers.ts';
import { type ExchangeParts, exchanged } from './exchange.ts';
import { notedOf } from './noted.ts';

export interface ReceivingParts extends ExchangeParts {
  events: MessageEvents;
  /** With agents that were asked, and answer by messages of their own. */
  conversations: Conversations;
  seals: Seals;
  logger: Logger;
}

/** A message as it has come. */
export interface Incoming {
  /** JSON that was parsed. */
  body: unknown;
  headers: IncomingHttpHeaders;
  answer: AnswerParts;
}

/** Messages that ask for something; the others answer what was asked. */
const asking = new Set(['task_delegation', 'coordination', 'query', 'response']);
/** Those of them that begin a task. */
const beginning = new Set(['task_delegation', 'coordination']);

/**
 * Takes a message, once: what comes again under its id is answered with what became of it. It and its answer are kept
 * as events.
 * @throws ConcordError as it is answered
 */
export async function received(
  parts: ReceivingParts,
  { body, headers, answer }: Incoming,
  call: Call,
): Promise<WrittenEnvelope> {
  const { events, logger } = parts;
  const given = await admitted(parts.seals, body, headers, call);
  if (isAnswer(given)) return heard(parts, given, answer, call);
  const message = messageOf(given, call);
  const noted = await events.note(message);
  requireSame(given, noted);
  try {
    const content = await exchanged(parts, given, noted, call);
    const told = written(answer, wayBack(given.envelope, call.principal), content);
    await events.note(notedOf(told, call.principal));
    return await parts.seals.seal(told);
  } catch (error) {
    await events.refused(message).catch(() => {});
    const told = errorAnswer(answer, body, asConcordError(error));
    await events.note({ ...notedOf(told, call.principal), to: given.sender }).catch((err: unknown) => {
      logger.warn({ err }, 'the answer to a message is not kept');
    });
    throw error;
  }
}

/** Keeps what answers a message of Concord's, for who waits for it. */
async function heard(
  parts: ReceivingParts,
  given: Admitted,
  answer: AnswerParts,
  call: Call,
): Promise<WrittenEnvelope> {
  const { type, content } = given.envelope.message;
  const { direction: _, ...message } = messageOf(given, call);
  const kept = { ...message, ...meaningOf(type), content: JSON.stringify({ type, content }) };
  requireSame(given, await parts.conversations.hears(kept));
  const told = written(answer, wayBack(given.envelope, call.principal), {
    type: 'response',
    content: { received: true },
  });
  await parts.events.note(notedOf(told, call.principal));
  return parts.seals.seal(told);
}

/** What an agent needs to know that was asked is a `query` too: one with a question about its task. */
function isAnswer({ envelope: { message } }: Admitted): boolean {
  if (message.type !== 'query') return !asking.has(message.type);
  return isObject(message.content) && 'taskId' in message.content && 'question' in message.content;
}

function requireSame({ digest, envelope: { messageId } }: Admitted, noted: Noted): void {
  if (noted.digest === digest) return;
  throw refuse('message-id-taken', `Another message has come from you under the messageId ${messageId}`);
}

function messageOf(given: Admitted, { principal: { tenant, agentId } }: Call): NotedMessage {
  const { envelope, sender, correlationId, digest, signature } = given;
  const { messageId, message, metadata, to } = envelope;
  const { priority, timeout, retryPolicy } = metadata ?? {};
  return {
    ...{ tenant, direction: 'received', messageId, messageType: message.type, correlationId, digest, signature },
    ...{ from: sender, to: to.agentId, owner: agentId ?? '' },
    ...(beginning.has(message.type) && { begins: true, means: 'a2a_task_delegated' as const }),
    ...(priority !== undefined && { priority }),
    ...(timeout !== undefined && { timeout }),
    ...(retryPolicy && retryPolicy),
  };
}
