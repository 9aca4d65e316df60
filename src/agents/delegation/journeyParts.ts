import type { TaskKey } from '../../tasks/nodes/taskNodes.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { RegisteredAgentWithCard } from '../../wire/agents.ts';
import { existing } from '../answering.ts';
import type { AgentStore } from '../nodes/agentStore.ts';
import { withCard } from '../nodes/registered.ts';
import type { ChoosingParts } from './choosing.ts';
import type { Delegations } from './nodes/delegations.ts';
import type { ProposingParts } from './proposing.ts';
import type { RemoteAgent } from './protocols/remoteAgent.ts';

/** The task that is handed on, and whose it is; empty for the local principal. */
export interface DelegatedTask extends TaskKey {
  owner: string;
}

export interface JourneyParts extends ChoosingParts, ProposingParts {
  store: AgentStore;
  delegations: Delegations;
  /** How an agent of a tenant is called. @throws ConcordError `capability-mismatch` */
  connect(task: DelegatedTask, agent: RegisteredAgentWithCard): Promise<RemoteAgent>;
  /** Milliseconds for a task without an earlier deadline. */
  timeoutMs: number;
  /** Milliseconds for an answer of an agent. */
  answerMs: number;
  /** Bytes of what one task has made. */
  maxArtifactBytes: number;
  logger: Logger;
  uuid(): string;
  /** Milliseconds since 1970. */
  now(): number;
}

/** An agent that was chosen before, as it is registered now. @throws ConcordError `unknown-agent`, `capability-mismatch` */
export async function reach(
  { store, connect }: JourneyParts,
  task: DelegatedTask,
  agentId: string,
): Promise<RemoteAgent> {
  return connect(task, withCard(await existing(store, { tenant: task.tenant, id: agentId })));
}
