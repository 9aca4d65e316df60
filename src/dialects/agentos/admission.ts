import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../a2a/protocol/response.ts';
import { ConcordError, ErrorCode } from '../../base/errors.ts';
import type { Principal } from '../../security/principal.ts';
import { Forbidden } from '../../security/refused.ts';
import type { Agent, FindAgent } from './agents.ts';

/**
 * The id of who calls: that of the credentials. A principal that may speak for any agent speaks for the one that it
 * names in `X-Agent-ID`.
 * @throws Forbidden `foreign-caller` where the header names another agent; AgentOS 0.3.0, section 5
 */
export function callerOf({ agentId }: Principal, { headers }: IncomingMessage): string | undefined {
  const said = headers['x-agent-id'];
  const named = said === undefined || said === '' ? undefined : String(said);
  if (agentId !== undefined && named !== undefined && named !== agentId) throw new Forbidden('foreign-caller');
  return agentId ?? named;
}

/** @throws Refusal 404 */
export async function agentOf(find: FindAgent, id: string, principal?: Principal): Promise<Agent> {
  const agent = await find(id, principal);
  if (!agent) throw new Refusal(404, new ConcordError(ErrorCode.InvalidRequest, 'Agent not found'));
  return agent;
}
