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

/** What `agents/list` answers with. */
export interface AgentPage {
  agents: RegisteredAgent[];
  /** Where there are more: the last id of this page, for `after`. */
  next?: string;
}

/**
 * `agents/list`: the tenant's agents, who was registered first comes first. A page of long cards has fewer than `first`.
 * @throws ConcordError -32600, -32602
 */
export function listMethod(store: AgentStore): UnaryMethod<AgentPage> {
  return answering(params, async (raw, { principal: { tenant } }) => {
    const { after, ...wanted } = parseParams(params, raw);
    const last = after === undefined ? undefined : await existing(store, { tenant, id: after });
    const { rows, isMore } = await store.list(tenant, wanted, last);
    const next = isMore ? rows.at(-1)?.id : undefined;
    return { agents: rows.map(agentOf), ...(next !== undefined && { next }) };
  });
}
