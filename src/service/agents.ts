import { randomUUID } from 'node:crypto';
import { CheckStore } from '../agents/checks/checkStore.ts';
import { Checks } from '../agents/checks/checks.ts';
import { openDelegation } from '../agents/delegation/delegation.ts';
import type { Update } from '../agents/delegation/proposing.ts';
import { Seals } from '../agents/envelopes/seals.ts';
import { Conversations } from '../agents/events/conversations.ts';
import { MessageEvents, removeOldEvents } from '../agents/events/messageEvents.ts';
import { findMethod } from '../agents/find.ts';
import { getMethod } from '../agents/get.ts';
import { listMethod } from '../agents/list.ts';
import { AgentStore } from '../agents/nodes/agentStore.ts';
import { registerMethod } from '../agents/register.ts';
import { removeMethod } from '../agents/remove.ts';
import { CredentialKeeper } from '../agents/secrets/credentials.ts';
import type { UnaryMethod } from '../calls/call.ts';
import { isOwnId } from '../dialects/agentos/agents.ts';
import { Sweep } from '../graph/database/sweep.ts';
import { keySetUrl } from '../security/signingKey.ts';
import { sparing } from '../telemetry/logger.ts';
import type { Address } from './address.ts';
import type { Foundation } from './foundation.ts';
import type { Identity } from './identity.ts';
import type { Storage } from './storage.ts';

/** The registry of agents. */
export type Agents = ReturnType<typeof openAgents>;

export function openAgents(
  foundation: Foundation,
  { signingKey: key, encryptionKey: encryption }: Identity,
  storage: Storage,
  address: Address,
) {
  const { config, logger, closing } = foundation;
  const { database } = storage;
  const everyMs = config.AGENT_CHECK_INTERVAL_S * 1_000;
  const store = new AgentStore(database, { most: config.AGENTS_PER_TENANT, againMs: everyMs });
  const [list, find, get] = [listMethod(store), findMethod(store), getMethod(store)];
  const keeper = new CredentialKeeper(database, config.AGENT_SECRETS_KEY);
  const fetching = { allowed: config.AGENT_ALLOW };
  const onFault = (host: string, fault: string) => logger.info({ host, fault }, 'the card of an agent is not fetched');
  const checks = new Checks({
    ...{ fetching, store: new CheckStore(database, randomUUID()), everyMs },
    onError: sparing(logger, 'registered agents cannot be looked at'),
  });
  closing.add(checks);
  const events = new MessageEvents(database);
  const conversations = new Conversations(database, events);
  const endpoint = () => address.messages;
  const seals = new Seals({
    signing: () => key && { key, jku: keySetUrl(address.url) },
    encryption,
    keysOf: async (tenant, id) => (await store.keysOf({ tenant, id }))?.keys,
    longest: config.MAX_BODY_BYTES,
  });
  const keptMs = config.TASK_RETENTION_HOURS * 3_600_000;
  const sweep = new Sweep({
    database,
    step: (tx) => removeOldEvents(tx, Date.now() - keptMs),
    onError: sparing(logger, 'old messages between agents cannot be removed'),
  });
  closing.add(sweep).start();
  return {
    /** The skill `delegate`, which proposes what agents answer. */
    delegate: (update: Update) =>
      openDelegation({ database, store, find, keeper, update, conversations, endpoint, seals, config, logger }),
    /** Begins to look whether agents are up. */
    start() {
      checks.start();
      store.keepWords().catch(sparing(logger, 'the words of registered agents cannot be kept'));
    },
    list,
    find,
    get,
    store,
    /** Messages that have come and gone in envelopes. */
    events,
    conversations,
    seals,
    methods: new Map<string, UnaryMethod>([
      ['agents/register', registerMethod({ store, fetching: { ...fetching, onFault }, keeper, isOwnId })],
      ['agents/list', list],
      ['agents/get', get],
      ['agents/find', find],
      ['agents/remove', removeMethod(store)],
    ]),
  };
}
