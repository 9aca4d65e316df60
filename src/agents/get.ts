import { z } from 'zod';
import type { UnaryMethod } from '../calls/call.ts';
import { parseParams } from '../calls/params.ts';
import { identifier } from '../knowledge/patch.ts';
import type { RegisteredAgentWithCard } from '../wire/agents.ts';
import { answering, existing } from './answering.ts';
import type { AgentStore } from './nodes/agentStore.ts';
import { withCard } from './nodes/registered.ts';

const params = z.strictObject({ id: identifier });

/** `agents/get`: one agent of the tenant, with its card. @throws ConcordError -32600, -32602 */
export function getMethod(store: AgentStore): UnaryMethod<RegisteredAgentWithCard> {
  return answering(params, async (raw, { principal: { tenant } }) =>
    withCard(await existing(store, { tenant, ...parseParams(params, raw) })),
  );
}
