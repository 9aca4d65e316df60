import { createHash } from 'node:crypto';
import { type ConcordClient, connect, type Patch, type UpdateResult } from '../src/client/index.ts';

/** One of the demo's agents, connected to Concord. */
export interface Agent {
  id: string;
  concord: ConcordClient;
}

/**
 * @param url of the service; the agent finds the rest in its card
 * @param signal ends all that the agent has under way
 */
export async function join(url: string, id: string, signal?: AbortSignal): Promise<Agent> {
  return { id, concord: await connect(url, { agentId: id, ...(signal && { signal }) }) };
}

/**
 * Proposes what the rules will stop, under an idempotency key made of it: another run of the demo gets the first answer, and no second
 * proposal is kept.
 */
export function propose({ concord }: Agent, mutations: Patch[], justification: string): Promise<UpdateResult> {
  const hash = createHash('sha256').update(JSON.stringify(mutations)).digest('base64url');
  return concord.update({ mutations, justification, metadata: { idempotencyKey: `demo-${hash}` } });
}

/**
 * States what no rule should speak against.
 * @returns how many statements changed; 0 where an earlier run has stated them
 * @throws Error with the rule's message if they are not accepted
 */
export async function state({ concord }: Agent, mutations: Patch[], justification: string): Promise<number> {
  const result = await concord.update({ mutations, justification });
  if (result.verificationStatus !== 'Verified') {
    throw new Error(`${result.verificationStatus}: ${result.verificationDetails}`);
  }
  return result.statementsAffected;
}
