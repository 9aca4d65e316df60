import type { IncomingHttpHeaders } from 'node:http';
import type { WrittenEnvelope } from '../../agents/envelopes/envelope.ts';
import type { MessageEvents, NotedMessage } from '../../agents/events/messageEvents.ts';
import { refuse } from '../../base/reasons.ts';
import type { Call } from '../../calls/call.ts';
import { asConcordError } from '../../calls/faults.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { type Admitted, admitted } from './admission.ts';
import { type AnswerParts, errorAnswer, wayBack, written } from './answers.ts';
import { type ExchangeParts, exchanged, taskIdOf, unknownCorrelation } from './exchange.ts';
import { notedOf } from './noted.ts';

export interface ReceivingParts extends ExchangeParts {
  events: MessageEvents;
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
  const given = admitted(body, headers, call);
  const message = messageOf(given, call);
  const noted = await events.note(message);
  if (noted.digest !== given.digest) {
    const { messageId } = given.envelope;
    throw refuse('message-id-taken', `Another message has come from you under the messageId ${messageId}`);
  }
  try {
    const content = await contentOf(parts, given, noted, call);
    const told = written(answer, wayBack(given.envelope, call.principal), content);
    await events.note(notedOf(told, call.principal));
    return told;
  } catch (error) {
    await events.refused(message).catch(() => {});
    const told = errorAnswer(answer, body, asConcordError(error));
    await events.note({ ...notedOf(told, call.principal), to: given.sender }).catch((err: unknown) => {
      logger.warn({ err }, 'the answer to a message is not kept');
    });
    throw error;
  }
}

function contentOf(parts: ReceivingParts, given: Admitted, ...rest: [Parameters<typeof exchanged>[2], Call]) {
  if (asking.has(given.envelope.message.type)) return exchanged(parts, given, ...rest);
  throw unknownCorrelation(given.correlationId);
}

function messageOf(given: Admitted, { principal: { tenant, agentId } }: Call): NotedMessage {
  const { envelope, sender, correlationId, digest } = given;
  const { messageId, message, metadata, to } = envelope;
  const { priority, timeout, retryPolicy } = metadata ?? {};
  return {
    ...{ tenant, direction: 'received', messageId, messageType: message.type, correlationId, digest },
    ...{ from: sender, to: to.agentId, owner: agentId ?? '' },
    ...(beginning.has(message.type) && { taskId: taskIdOf(given), means: 'a2a_task_delegated' }),
    ...(priority !== undefined && { priority }),
    ...(timeout !== undefined && { timeout }),
    ...(retryPolicy && retryPolicy),
  };
}
