import express, { type RequestHandler } from 'express';
import type { A2aCore } from '../../a2a/a2a.ts';
import { bodyLimits } from '../../a2a/protocol/body.ts';
import { createCalls } from '../../a2a/protocol/calls.ts';
import type { StreamingMethod, UnaryMethod } from '../../calls/call.ts';
import type { Slots } from '../../calls/slots.ts';
import { openStream } from '../../calls/streamAccount.ts';
import type { Config } from '../../config/config.ts';
import type { Oversight } from '../../limits/oversight.ts';
import type { Authenticate } from '../../security/authenticator.ts';
import type { Instruments } from '../../telemetry/instruments.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { type FindAgent, reservedId } from './agents.ts';
import { cardOf } from './card.ts';
import { rpcHandler } from './rpc.ts';
import { runMethod } from './runs.ts';
import { type AgentSockets, createAgentSockets } from './sockets.ts';

export interface AgentOsParts {
  /** Which agents there are. */
  find: FindAgent;
  core: A2aCore;
  /** `knowledge/subscribe` */
  subscribe: StreamingMethod;
  authenticate: Authenticate;
  /** Whether callers need credentials. */
  identities: boolean;
  /** Sockets of an agent, and of all. */
  slots: Slots;
  config: Pick<Config, 'MAX_BODY_BYTES' | 'HEARTBEAT_MS' | 'SHUTDOWN_MS'>;
  instruments: Instruments;
  logger: Logger;
  oversight: Oversight;
}

export interface AgentOs {
  /** What is below `/a2a/{agent}` over HTTP, to be mounted at `/a2a`; what isn't an agent's it passes on. */
  handler: RequestHandler;
  sockets: AgentSockets;
}

/** AgentOS 0.3.0: each agent has an address of its own, with its card, its calls and its socket below it. */
export function createAgentOs(parts: AgentOsParts): AgentOs {
  const { find, authenticate, config, instruments, logger } = parts;
  const { handler, inFlight } = parts.core;
  const calls = createCalls(methodNames, instruments, logger, parts.oversight);
  const limits = bodyLimits(config.MAX_BODY_BYTES, parts.identities);
  const shared = { find, calls, inFlight, authenticate };
  const rpc = rpcHandler({
    ...shared,
    runOf: (agent, caller) => runMethod(handler, agent, caller),
    bodyLimits: limits,
  });
  const router = express.Router();
  router.use(`/${reservedId}`, (_request, _response, next) => next('router'));
  router.post('/:agent/rpc', rpc);
  router.all('/:agent/rpc', (_request, response) => {
    response.status(405).set('Allow', 'POST').json({ error: 'Send JSON-RPC 2.0 requests by POST' });
  });
  router.get('/:agent/.well-known/agent-card.json', async ({ params }, response) => {
    const agent = await find(params.agent);
    if (!agent) response.status(404).json({ error: 'Agent not found' });
    else response.set('Cache-Control', 'public, max-age=60').json(cardOf(agent));
  });
  router.get('/:agent/ws', (_request, response) => {
    response.status(426).set('Upgrade', 'websocket').json({ error: 'Open a WebSocket here' });
  });
  return {
    handler: router,
    sockets: createAgentSockets({
      ...shared,
      handler,
      slots: parts.slots,
      subscribe: parts.subscribe,
      account: () => openStream('agentos subscribe', instruments, logger),
      maxMessageBytes: config.MAX_BODY_BYTES,
      heartbeatMs: config.HEARTBEAT_MS,
      shutdownMs: config.SHUTDOWN_MS,
    }),
  };
}

/** For metrics and logs, which name no other. */
const none: UnaryMethod = async () => ({});
const methodNames = {
  unary: new Map(['run', 'cancel', 'subscribe', 'unsubscribe'].map((name) => [name, none])),
  streaming: new Map(),
};
