import { z } from 'zod';
import { identifier, optional, text } from '../../knowledge/patch.ts';

/** The version of ONE's envelope. */
export const envelopeVersion = '1.0';

/** The member of a task's first message in which it keeps what the envelope said. It is handed on to nobody. */
export const envelopeMember = 'concord.one';

/** What Concord is called as an agent, which has all skills. */
export const concordAgent = 'concord';

/** Every type of message; ONE, "Message Structure", and `coordination` of "Core Capabilities". */
export const messageTypes = [
  'task_delegation',
  'task_acceptance',
  'task_rejection',
  'task_result',
  'status_update',
  'error',
  'query',
  'response',
  'coordination',
] as const;

export type MessageType = (typeof messageTypes)[number];

const mostMs = 2 ** 31 - 1;
export const milliseconds = z.int(`is not a whole number from 1 to ${mostMs}`).min(1).max(mostMs);
export const address = text(2_048);
/** They become ids of conversations, and keys of nodes. */
export const id = text(200)
  .min(1, 'is empty')
  .refine((value) => !/\p{Cc}|[\u2028\u2029]/u.test(value), 'has control characters');
/** Milliseconds since 1970. */
export const instant = z.number('is no number of milliseconds since 1970').min(0).max(8.64e15);

const party = z.looseObject({ agentId: identifier, endpoint: optional(address) });

const retryPolicy = z.looseObject({
  maxRetries: z.int().min(0).max(10),
  backoff: z.enum(['linear', 'exponential']).default('exponential'),
});

export const priorities = ['low', 'medium', 'high', 'critical'] as const;

/** What is said of a message beside its content. */
const metadata = z.looseObject({
  priority: optional(z.enum(priorities)),
  /** How long what it asks for may take. */
  timeout: optional(milliseconds),
  retryPolicy: optional(retryPolicy),
  security: optional(z.looseObject({ encrypted: z.boolean().default(false), signature: optional(text(20_000)) })),
});

/** A message of ONE; what it doesn't know is passed over. The content follows from the type. */
export const envelope = z.looseObject({
  version: z.literal(envelopeVersion, `is not ${envelopeVersion}, the one that is served`),
  messageId: id,
  /** The conversation; without it, one of its own. */
  correlationId: optional(id),
  timestamp: instant,
  /** The tenant; the sender's own, if left out. */
  groupId: optional(text(200)),
  from: party.extend({ capabilities: optional(z.array(text(200)).max(200, 'has more than 200')) }),
  to: party,
  message: z.looseObject({
    type: z.enum(messageTypes, 'is no type of message that ONE knows'),
    content: z.unknown(),
    mimeType: z.string().max(200).default('application/json'),
  }),
  metadata: optional(metadata),
});

/** As it is read. */
export type Envelope = z.output<typeof envelope>;

/** As it is written. */
export interface WrittenEnvelope {
  version: typeof envelopeVersion;
  messageId: string;
  correlationId: string;
  timestamp: number;
  groupId: string;
  from: { agentId: string; endpoint: string; capabilities?: string[] };
  to: { agentId: string; endpoint: string };
  message: { type: MessageType; content: unknown; mimeType: string };
  metadata?: {
    priority?: string;
    timeout?: number;
    security?: { encrypted: boolean; signature?: string };
    [member: string]: unknown;
  };
}

/** The headers that a message goes with. */
export function headersOf({ version, messageId }: Pick<WrittenEnvelope, 'version' | 'messageId'>) {
  return { 'X-A2A-Version': version, 'X-Message-Id': messageId };
}
