import { z } from 'zod';
import type { UnaryMethod } from '../calls/call.ts';
import { parseParams } from '../calls/params.ts';
import { identifier } from '../knowledge/patch.ts';
import { answering, unknownAgent } from './answering.ts';
import type { AgentStore } from './nodes/agentStore.ts';
import { registrarOf } from './nodes/rights.ts';

const params = z.strictObject({ id: identifier });

/** `agents/remove`: forgets what is registered of an agent, with credentials. @throws ConcordError -32600, -32602 */
export function removeMethod(store: AgentStore): UnaryMethod<{ id: string; removed: true }> {
  return answering(params, async (raw, { principal }) => {
    const { id } = parseParams(params, raw);
    const isRemoved = await store.remove({ tenant: principal.tenant, id }, registrarOf(principal));
    if (!isRemoved) throw unknownAgent(id);
    return { id, removed: true };
  });
}
