import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentCard } from '@a2a-js/sdk';
import { DefaultRequestHandler } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express, { type Express } from 'express';
import { closesWithin } from '../base/endsWithin.ts';
import { isLoopback } from '../base/isLoopback.ts';
import { type ConcordClient, connect } from '../client/client.ts';
import type { ClientOptions } from '../client/options.ts';
import type { RegisteredAgent } from '../wire/agents.ts';
import { cardOf } from './card.ts';
import { jsonRpcFaults, ownHostOnly, plainFaults, requireToken } from './door.ts';
import { KitExecutor } from './executor.ts';
import type { AgentSkill } from './skill.ts';
import { RecentTasks } from './taskStore.ts';

/** What an agent is, and where. */
export interface AgentOptions {
  /** Its name in Concord: what it states has it as `sourceAgentId`. */
  id: string;
  name: string;
  description: string;
  /** `1.0.0` if left out. */
  version?: string;
  skills: AgentSkill[];
  /** Where Concord is and how it is called; without it the agent stands alone. */
  concord?: Omit<ClientOptions, 'agentId' | 'signal'> & { url: string | URL };
  /**
   * How the agent is registered: by the address of its card, which Concord fetches and looks at again (`address`), by
   * its card, where Concord doesn't reach it (`card`), or not at all (false). `address` if left out. It stays registered
   * when it closes.
   */
  register?: 'address' | 'card' | false;
  /** Further words that it is found by. */
  tags?: string[];
  /** `127.0.0.1` if left out. */
  host?: string;
  /** One that is free, if left out. */
  port?: number;
  /** Where others reach it, if that is elsewhere than where it listens: `https://agents.example.org/checker`. */
  publicUrl?: string;
  /**
   * What callers send as `Authorization: Bearer …`; they all see, go on with and cancel the same tasks. Concord is told
   * it when the agent registers, which needs AGENT_SECRETS_KEY there. Without one everybody who reaches the agent may
   * call it, so it listens on loopback only and answers under its own names only.
   */
  token?: string;
  /** Milliseconds that a skill may run; 300,000 if left out. */
  timeoutMs?: number;
  /** Skills that run at a time; a task beyond them fails, and may be sent again. 100 if left out. */
  mostRunning?: number;
  /** Told of what a skill throws that is no SkillError; written to stderr if left out. */
  onError?(error: unknown, skill: string): void;
}

/** An agent that listens. */
export interface RunningAgent {
  /** Where it is reached. */
  url: string;
  card: AgentCard;
  concord?: ConcordClient;
  /** What Concord knows of it. */
  registered?: RegisteredAgent;
  /** Stops its skills, ends its connection to Concord, and stops listening. */
  close(): Promise<void>;
}

/** Bytes of a message. */
const longestBody = 8 * 1024 * 1024;
/** Tasks that are kept, and the bytes of all together. */
const most = { tasks: 1_000, bytes: 64 * 1024 * 1024 };
/** How long open connections may take to end. */
const closeMs = 5_000;
const idleMs = 20;

/**
 * Starts an agent: its card at `/.well-known/agent-card.json`, its skills at `/a2a` (A2A 1.0 and 0.3, JSON-RPC), its
 * connection to Concord, and its registration there.
 * @throws Error where it can't listen, or its options contradict each other; ConcordClientError where Concord can't be
 *   reached or refuses the registration
 */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  requireSound(options);
  const { name, description, version = '1.0.0', skills, token, timeoutMs = 300_000, mostRunning = 100 } = options;
  const { host = '127.0.0.1', port = 0, onError = logError } = options;
  const stop = new AbortController();
  const concord = await connected(options, stop.signal);
  const app = express();
  const server = createServer(app);
  try {
    // From here until it serves nothing is waited for: whoever called it in between was told that nothing is there.
    await listening(server, host, port);
    const url = (options.publicUrl ?? addressOf(server)).replace(/\/+$/, '');
    const tasks = new RecentTasks(most.tasks, most.bytes);
    const executor = new KitExecutor({ skills, tasks, timeoutMs, mostRunning, onError, ...(concord && { concord }) });
    const card = cardOf({ name, description, version, skills, url: `${url}/a2a`, isProtected: token !== undefined });
    serve(app, new DefaultRequestHandler(card, tasks, executor), options);
    const registered = concord && (await registration(concord, options, url, card));
    return {
      url,
      card,
      ...(concord && { concord }),
      ...(registered && { registered }),
      async close() {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        await executor.close();
        stop.abort(new Error('The agent is closed'));
        // Those who were told that it closes keep their connections.
        const idle = setInterval(() => server.closeIdleConnections(), idleMs);
        await closesWithin(closed, closeMs, () => server.closeAllConnections());
        clearInterval(idle);
      },
    };
  } catch (error) {
    stop.abort(error);
    server.close();
    throw error;
  }
}

/** @throws Error */
function requireSound({ skills, token, host = '127.0.0.1', register, concord }: AgentOptions): void {
  if (skills.length === 0) throw new Error('An agent needs a skill');
  const ids = skills.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`Two skills have the id ${twice}`);
  if (token === undefined && !isLoopback(host)) throw new Error(`An agent that listens on ${host} needs a token`);
  if (register && !concord) throw new Error('To register, an agent needs `concord`');
}

function connected({ concord, id }: AgentOptions, signal: AbortSignal): Promise<ConcordClient> | undefined {
  if (!concord) return undefined;
  const { url, ...rest } = concord;
  return connect(url, { ...rest, agentId: id, signal });
}

async function registration(
  concord: ConcordClient,
  { register = 'address', tags, token }: AgentOptions,
  url: string,
  card: AgentCard,
): Promise<RegisteredAgent | undefined> {
  if (register === false) return undefined;
  return concord.agents.register({
    ...(register === 'address' ? { url } : { card: AgentCard.toJSON(card) as Record<string, unknown> }),
    ...(tags && { tags }),
    ...(token !== undefined && { credentials: { scheme: 'bearer', token } }),
  });
}

function serve(app: Express, requestHandler: DefaultRequestHandler, { token, publicUrl }: AgentOptions): void {
  const legacyCompat = { enabled: true };
  app.disable('x-powered-by');
  if (token === undefined) app.use(ownHostOnly(publicUrl));
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }));
  app.use(
    '/a2a',
    ...(token === undefined ? [] : [requireToken(token)]),
    express.json({ limit: longestBody }),
    plainFaults,
    jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat }),
    jsonRpcFaults,
  );
}

async function listening(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  // Throws what the server says instead.
  await once(server, 'listening');
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const logError = (error: unknown, skill: string) => console.error(`The skill ${skill} failed:`, error);
