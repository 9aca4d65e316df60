/** Which protocol a card is of: A2A since 0.3, the first A2A (April 2025), AgentOS, ONE. */
export type AgentProtocol = 'a2a' | 'first-a2a' | 'agentos' | 'one';

/** Where an agent is reached. */
export interface AgentEndpoint {
  /** A URL, or `host:port` for gRPC. */
  url: string;
  /** `JSONRPC`, `HTTP+JSON`, `GRPC`, `WEBSOCKET`, `HTTP` (ONE), or another that the card names. */
  binding: string;
  /** Of the protocol; absent where the card doesn't say. */
  version?: string;
}

/** What an agent can be asked for, as its card says. */
export interface RegisteredSkill {
  id: string;
  name: string;
  description?: string;
  tags: string[];
  /** JSON Schema of what it takes; AgentOS only. */
  parameters?: Record<string, unknown>;
}

/** What is read out of a card, whichever protocol it is of. All of it is a stranger's text: show it as text. */
export interface AgentProfile {
  protocol: AgentProtocol;
  /** Of the protocol: the newest that the card names. */
  protocolVersion: string;
  name: string;
  description: string;
  /** The agent's own. */
  version?: string;
  provider?: string;
  /** The one that the agent prefers comes first. */
  endpoints: AgentEndpoint[];
  skills: RegisteredSkill[];
  /** In lower case, each once: those of the skills. */
  tags: string[];
  /** What the card says yes to: `streaming`, `pushNotifications`, … */
  capabilities: string[];
  /** URIs of the extensions of A2A. */
  extensions: string[];
}

/**
 * Whether the card is of who it says: `verified` by a signature, `none` without one, `unchecked` where its key isn't
 * known.
 */
export type CardSignature = 'verified' | 'none' | 'unchecked';

/** `unknown` where the agent has no address to look at. */
export type AgentStatus = 'up' | 'down' | 'unknown';

/** What an agent is called with; what is secret in it is told by no method. */
export type AgentCredentials =
  | { scheme: 'bearer'; token: string }
  | { scheme: 'apiKey'; key: string; header?: string }
  /** The name under which the caller's client certificate is kept. */
  | { scheme: 'mtls'; certificate: string };

/** An agent that is registered; beyond the specification. Points in time are ISO 8601. */
export interface RegisteredAgent extends AgentProfile {
  id: string;
  /** Where its card is fetched again; absent of a card that was given. */
  cardUrl?: string;
  /** Who has registered it; absent for the local principal. */
  addedBy?: string;
  registeredAt: string;
  /** When what its card says has last changed. */
  changedAt: string;
  signature: CardSignature;
  status: AgentStatus;
  statusSince: string;
  /** When its address last answered as it should, or it has registered itself. */
  lastSeen?: string;
  /** While its address fails: by what, how often in a row, and since when. */
  failure?: { reason: string; attempts: number; since: string };
  /** Whether there are credentials for it, and of which kind. */
  credentials?: AgentCredentials['scheme'];
}

/** An agent with its card as it was given. */
export interface RegisteredAgentWithCard extends RegisteredAgent {
  card: Record<string, unknown>;
}

/** What `agents/find` answers with. */
export interface FoundAgent extends RegisteredAgent {
  /** Ids of the skills that are like what was asked for, the likest first. */
  matchingSkills: string[];
}

/** `agents/register`: by the address of a card, or by a card. */
export interface AgentRegistration {
  /** Which agent; the caller itself, if left out. */
  id?: string;
  /** The address of its card, or the agent's, below which the card lies at its usual places. */
  url?: string;
  card?: Record<string, unknown>;
  /** Further words that it is found by. */
  tags?: string[];
  /** JSON Web Key Set that the card's signature is verified by, instead of the one that the card names. */
  keys?: { keys: Record<string, unknown>[] };
  /** What the agent is called with; null takes back what there is. */
  credentials?: AgentCredentials | null;
}

/** `agents/find`; one of the first three at least. */
export interface AgentSearch {
  words?: string;
  /** Id or name of a skill. */
  skill?: string;
  tag?: string;
  protocol?: AgentProtocol;
  status?: AgentStatus;
  /** 1 to 50; 10 if left out. */
  first?: number;
}
