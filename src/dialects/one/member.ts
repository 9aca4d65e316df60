import type { Message, Task } from '@a2a-js/sdk';
import { z } from 'zod';
import { envelopeMember } from '../../agents/envelopes/envelope.ts';
import type { Admitted } from './admission.ts';
import type { Work } from './work.ts';

/** What a task keeps of the message that has begun it, in the metadata of its first one. */
const shape = z.object({
  correlationId: z.string(),
  /** Who has asked, where it is reached, and who was asked. */
  sender: z.string(),
  endpoint: z.string().optional(),
  to: z.string(),
  /** Whether what comes of it is sent there, instead of the answer. */
  isTold: z.boolean(),
  /** The skill; absent of a text. */
  skill: z.string().optional(),
  /** When the task has ended at the latest, in milliseconds since 1970. */
  until: z.number(),
  priority: z.string().optional(),
  timeout: z.number().optional(),
  retryPolicy: z.object({ maxRetries: z.number(), backoff: z.string() }).optional(),
});

export type Begin = z.output<typeof shape>;

export function beginOf({ envelope, sender, correlationId }: Admitted, { asked, callback, mostMs }: Work, now: number) {
  const { priority, timeout, retryPolicy } = envelope.metadata ?? {};
  const begin: Begin = {
    ...{ correlationId, sender, to: envelope.to.agentId },
    ...{ isTold: callback !== undefined, until: now + mostMs },
    ...('skill' in asked && { skill: asked.skill }),
    ...(envelope.from.endpoint !== undefined && { endpoint: envelope.from.endpoint }),
    ...(priority !== undefined && { priority }),
    ...(timeout !== undefined && { timeout }),
    ...(retryPolicy && { retryPolicy: { maxRetries: retryPolicy.maxRetries, backoff: retryPolicy.backoff } }),
  };
  return begin;
}

/** What a task was begun with; undefined of one that was begun in another dialect. */
export function begunWith({ history }: Task): Begin | undefined {
  const [first] = history as (Message | undefined)[];
  const parsed = shape.safeParse(first?.metadata?.[envelopeMember]);
  return parsed.success ? parsed.data : undefined;
}
