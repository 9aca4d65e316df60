import type { Envelope, WrittenEnvelope } from '../../agents/envelopes/envelope.ts';
import { envelopeVersion } from '../../agents/envelopes/envelope.ts';
import { envelopeError } from '../../agents/envelopes/errorCodes.ts';
import type { ConcordError } from '../../base/errors.ts';
import { isObject } from '../../base/isObject.ts';
import type { Principal } from '../../security/principal.ts';
import { wholeAgent } from '../agentos/agents.ts';
import type { Content } from './taskContents.ts';

/** What an answer has beside what it says. */
export interface AnswerParts {
  messageId: string;
  /** Milliseconds since 1970. */
  now: number;
  /** Where Concord takes messages. */
  endpoint: string;
}

/** Who a message is from and to, and what it is of. */
export interface Way {
  groupId: string;
  correlationId: string;
  from: string;
  to: string;
  /** Of who it is to; unknown where it has told none. */
  endpoint: string | undefined;
  priority?: string | undefined;
}

/** A message of Concord's. */
export function written(
  { messageId, now, endpoint }: AnswerParts,
  { groupId, correlationId, from, to, endpoint: there = '', priority }: Way,
  { type, content }: Content,
): WrittenEnvelope {
  return {
    version: envelopeVersion,
    messageId,
    correlationId,
    timestamp: now,
    groupId,
    from: { agentId: from, endpoint },
    to: { agentId: to, endpoint: there },
    message: { type, content, mimeType: 'application/json' },
    ...(priority !== undefined && { metadata: { priority } }),
  };
}

/** The way back to who has sent a message. */
export function wayBack({ messageId, correlationId, from, to, metadata }: Envelope, { tenant }: Principal): Way {
  return {
    ...{ groupId: tenant, correlationId: correlationId ?? messageId },
    ...{ from: to.agentId, to: from.agentId, endpoint: from.endpoint, priority: metadata?.priority },
  };
}

/** An error as a message; of a body that makes no sense, with as much of who has sent it as can be read. */
export function errorAnswer(parts: AnswerParts, body: unknown, error: ConcordError): WrittenEnvelope {
  const { messageId, correlationId, groupId, from, to } = isObject(body) ? body : {};
  const way = {
    ...{ groupId: textOf(groupId), correlationId: textOf(correlationId) || textOf(messageId) },
    from: agentIn(to) || wholeAgent,
    ...{ to: agentIn(from), endpoint: undefined },
  };
  return written(parts, way, { type: 'error', content: { ...envelopeError(error) } });
}

/** What a stranger calls itself is given back, as far as it is short. */
const textOf = (value: unknown) =>
  typeof value === 'string' && value.length <= longest && value.isWellFormed() ? value : '';
const agentIn = (party: unknown) => (isObject(party) ? textOf(party.agentId) : '');
const longest = 512;
