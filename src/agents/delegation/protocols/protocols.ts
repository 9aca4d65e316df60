import type { AgentProtocol, RegisteredAgentWithCard } from '../../../wire/agents.ts';
import { a2aAgent } from './a2a.ts';
import { agentOsAgent } from './agentOs.ts';
import { firstA2aAgent } from './firstA2a.ts';
import { type Behalf, oneAgent } from './one.ts';
import type { RemoteAgent } from './remoteAgent.ts';

/** How the agents of one protocol are called. */
type Connect = (agent: RegisteredAgentWithCard, fetch: typeof globalThis.fetch, behalf: Behalf) => Promise<RemoteAgent>;

/** How agents are called, by the protocol of their cards. */
export const protocols: Record<AgentProtocol, Connect> = {
  a2a: a2aAgent,
  'first-a2a': firstA2aAgent,
  agentos: agentOsAgent,
  one: oneAgent,
};
