import type { AgentProtocol } from '../../../wire/agents.ts';
import { a2aAgent } from './a2a.ts';
import { agentOsAgent } from './agentOs.ts';
import { firstA2aAgent } from './firstA2a.ts';
import type { Connect } from './remoteAgent.ts';

/** How agents are called, by the protocol of their cards. */
export const protocols: Record<AgentProtocol, Connect> = {
  a2a: a2aAgent,
  'first-a2a': firstA2aAgent,
  agentos: agentOsAgent,
};
