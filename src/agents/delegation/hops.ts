import { z } from 'zod';
import { refuse } from '../../base/reasons.ts';
import { parseParams } from '../../calls/params.ts';
import { identifier } from '../../knowledge/patch.ts';
import { delegationMember } from './protocols/remoteAgent.ts';

/** Agents that may hand on one thing, one to the next. */
const mostHops = 8;

const member = z.looseObject({ hops: z.array(identifier, 'is not a list').max(100, 'has more than 100') });
const known = z.looseObject({ [delegationMember]: member });

/**
 * The ids of the agents that have handed on what a message asks for, who began comes first.
 * @param metadata of the message
 * @param sender of the message; absent for the local principal
 * @throws ConcordError -32602
 */
export function hopsOf(metadata: Record<string, unknown> | undefined, sender: string | undefined): string[] {
  const given = metadata?.[delegationMember];
  const hops = given === undefined ? [] : (parseParams(known, metadata)[delegationMember]?.hops ?? []);
  return sender === undefined || hops.at(-1) === sender ? hops : [...hops, sender];
}

/**
 * Agents that hand on to one another what they are asked for would do so for ever.
 * @throws ConcordError `delegation-loop`
 */
export function requireNoLoop(hops: readonly string[], to: string): void {
  const way = [...hops, to];
  if (hops.includes(to)) {
    throw refuse('delegation-loop', `The delegation comes back to ${to}, who has handed it on already`, { hops: way });
  }
  if (hops.length < mostHops) return;
  const message = `The delegation was handed on ${hops.length} times, which is the limit`;
  throw refuse('delegation-loop', message, { hops: way, limit: mostHops });
}
