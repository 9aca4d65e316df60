import { z } from 'zod';
import { ErrorCode } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import type { UnaryMethod } from '../calls/call.ts';
import { faultOf } from '../calls/faults.ts';
import { requireScope } from '../calls/scope.ts';
import type { AgentStore } from './nodes/agentStore.ts';
import type { AgentKey, AgentRow } from './nodes/registered.ts';

/** Which agents are wanted. */
export const protocol = z.enum(['a2a', 'first-a2a', 'agentos', 'one']);
export const status = z.enum(['up', 'down', 'unknown']);

/**
 * A method of the registry: for who has its scope, and with its code where Neo4j is away.
 * @param params what its params are checked by
 */
export function answering<Result extends object>(params: z.ZodType, method: UnaryMethod<Result>): UnaryMethod<Result> {
  const answered: UnaryMethod<Result> = async (raw, call) => {
    requireScope(call, 'agents', ErrorCode.InvalidRequest);
    try {
      return await method(raw, call);
    } catch (error) {
      throw faultOf(error, ErrorCode.InvalidRequest, 'try again later');
    }
  };
  return Object.assign(answered, { params });
}

/** @throws ConcordError `unknown-agent` */
export async function existing(store: AgentStore, key: AgentKey): Promise<AgentRow> {
  const row = await store.find(key);
  if (row === undefined) throw unknownAgent(key.id);
  return row;
}

export function unknownAgent(id: string) {
  return refuse('unknown-agent', `There is no agent ${id}`);
}
