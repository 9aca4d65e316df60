import { randomUUID } from 'node:crypto';
import type { UnaryMethod } from '../../calls/call.ts';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../graph/database/database.ts';
import type { Skill } from '../../skills/skill.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { AgentCredentials, FoundAgent, RegisteredAgentWithCard } from '../../wire/agents.ts';
import type { Seals } from '../envelopes/seals.ts';
import type { Conversations } from '../events/conversations.ts';
import type { AgentStore } from '../nodes/agentStore.ts';
import { clientCertificate } from '../secrets/clientCertificates.ts';
import type { CredentialKeeper } from '../secrets/credentials.ts';
import { delegateSkill } from './delegateSkill.ts';
import { Delegations } from './nodes/delegations.ts';
import type { Update } from './proposing.ts';
import { agentFetch } from './protocols/agentFetch.ts';
import { protocols } from './protocols/protocols.ts';

export interface DelegationParts {
  database: Database;
  store: AgentStore;
  /** `agents/find` */
  find: UnaryMethod<{ agents: FoundAgent[] }>;
  keeper: CredentialKeeper;
  update: Update;
  /** With agents that answer by messages of their own, and where they send them. */
  conversations: Conversations;
  endpoint(): string;
  /** Their signatures, and what is encrypted of them. */
  seals: Seals;
  config: Pick<
    Config,
    'AGENT_ALLOW' | 'AGENT_CERTIFICATES' | 'DELEGATION_TIMEOUT_MS' | 'DELEGATION_ANSWER_MS' | 'TASK_MAX_ARTIFACT_BYTES'
  >;
  logger: Logger;
}

/** Beside its artifacts, an answer has messages. */
const besideArtifacts = 1024 * 1024;

/** The skill `delegate`, over HTTP. */
export function openDelegation(parts: DelegationParts): Skill {
  const { database, store, find, keeper, update, conversations, endpoint, seals, config, logger } = parts;
  const answerMs = config.DELEGATION_ANSWER_MS;
  const maxArtifactBytes = config.TASK_MAX_ARTIFACT_BYTES;
  return delegateSkill({
    ...{ store, find, update, logger, answerMs, maxArtifactBytes },
    delegations: new Delegations(database),
    connect({ tenant, id: taskId, owner }, agent) {
      const fetch = agentFetch({
        ...{ allowed: config.AGENT_ALLOW, answerMs },
        onFault: (host, fault) => logger.info({ host, fault }, 'an agent is not called'),
        credentials: credentialsOf(keeper, tenant, agent),
        certificate: (name) => clientCertificate(config.AGENT_CERTIFICATES, tenant, name),
        longestAnswer: 2 * maxArtifactBytes + besideArtifacts,
      });
      return protocols[agent.protocol](agent, fetch, { tenant, taskId, owner, conversations, endpoint, seals });
    },
    timeoutMs: config.DELEGATION_TIMEOUT_MS,
    uuid: randomUUID,
    now: Date.now,
  });
}

/** What an agent is called with, read once for an address. */
function credentialsOf(keeper: CredentialKeeper, tenant: string, { id, credentials }: RegisteredAgentWithCard) {
  const found = new Map<string, Promise<AgentCredentials | undefined>>();
  return async (url: string) => {
    if (credentials === undefined) return undefined;
    const { origin } = new URL(url);
    const before = found.get(origin) ?? keeper.find({ tenant, id }, url);
    found.set(origin, before);
    return before;
  };
}
