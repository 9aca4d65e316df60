import { z } from 'zod';
import type { UnaryMethod } from '../calls/call.ts';
import { parseParams } from '../calls/params.ts';
import { identifier, optional } from '../knowledge/patch.ts';
import type { RegisteredAgent } from '../wire/agents.ts';
import { answering, existing, protocol, status } from './answering.ts';
import type { AgentStore } from './nodes/agentStore.ts';
import { agentOf } from './nodes/registered.ts';

const params = z.strictObject({
  first: z.int().min(1).max(100).default(20),
  /** The last id of the page before. */
  after: optional(identifier),
  protocol: optional(protocol),
  status: optional(status),
});

/** `agents/list`: the tenant's agents, who was registered first comes first. @throws ConcordError -32600, -32602 */
export function listMethod(store: AgentStore): UnaryMethod<{ agents: RegisteredAgent[] }> {
  return answering(async (raw, { principal: { tenant } }) => {
    const { after, ...wanted } = parseParams(params, raw);
    const last = after === undefined ? undefined : await existing(store, { tenant, id: after });
    return { agents: (await store.list(tenant, wanted, last)).map(agentOf) };
  });
}
