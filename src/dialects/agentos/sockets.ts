import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Calls } from '../../a2a/protocol/calls.ts';
import { Refusal } from '../../a2a/protocol/response.ts';
import { closesWithin } from '../../base/endsWithin.ts';
import { credentialsIn } from '../../calls/credentials.ts';
import { asConcordError } from '../../calls/faults.ts';
import type { InFlight } from '../../calls/inFlight.ts';
import type { Slots } from '../../calls/slots.ts';
import { farewellMs, keepAlive } from '../../calls/socketPace.ts';
import { statusOf } from '../../calls/statuses.ts';
import { requestDraining, streamDraining } from '../../calls/streamEnd.ts';
import type { Authenticate } from '../../security/authenticator.ts';
import { AccessRefused } from '../../security/refused.ts';
import { agentOf, callerOf } from './admission.ts';
import type { FindAgent } from './agents.ts';
import { AgentConnection } from './connection.ts';
import { agentErrorText } from './errors.ts';
import { Runs } from './runs.ts';
import type { SubscriptionParts } from './subscriptions.ts';

export interface SocketParts extends Omit<SubscriptionParts, 'notify'> {
  find: FindAgent;
  handler: A2ARequestHandler;
  calls: Calls;
  inFlight: InFlight;
  authenticate: Authenticate;
  /** Sockets of an agent, and of all. */
  slots: Pick<Slots, 'enter'>;
  /** Of a message. */
  maxMessageBytes: number;
  /** Milliseconds between pings; a socket may be silent for two of them. */
  heartbeatMs: number;
  shutdownMs: number;
}

export interface AgentSockets {
  /** What takes a socket to the agent that the path names; undefined where it names none. */
  route(path: string): ((request: IncomingMessage, socket: Duplex, head: Buffer) => void) | undefined;
  /**
   * Takes no more sockets, ends the subscriptions with reason `draining`, waits for the runs as for all calls, and cuts
   * what isn't closed then.
   */
  close(): Promise<void>;
}

/** `WS /a2a/{agent}/ws`: JSON-RPC over WebSocket, which AgentOS 0.3.0 announces in section 6. */
export function createAgentSockets(parts: SocketParts): AgentSockets {
  const { inFlight } = parts;
  const connections = new Map<WebSocket, AgentConnection>();
  // The types of `ws` don't know the last one.
  const settings = { noServer: true, maxPayload: parts.maxMessageBytes, closeTimeout: farewellMs };
  const server = new WebSocketServer(settings);

  /** Who opens a socket is known before it is open: by its headers, as over HTTP. */
  async function admit(id: string, request: IncomingMessage, socket: Duplex) {
    if (inFlight.draining) throw new Refusal(503, requestDraining());
    const credentials = credentialsIn(request);
    const authenticate = () => parts.authenticate(credentials);
    const principal = await authenticate();
    const caller = callerOf(principal, request);
    const agent = await agentOf(parts.find, id, principal);
    if (inFlight.draining) throw new Refusal(503, requestDraining());
    const slot = parts.slots.enter(principal);
    if (socket.destroyed) slot.leave();
    else socket.once('close', slot.leave);
    return { authenticate, runs: new Runs(parts.handler, agent, caller) };
  }

  async function accept(id: string, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const ignore = () => {};
    socket.on('error', ignore);
    try {
      const admitted = await admit(id, request, socket);
      socket.off('error', ignore);
      if (!socket.destroyed) server.handleUpgrade(request, socket, head, (opened) => open(opened, socket, admitted));
    } catch (thrown) {
      refuseSocket(parts.calls, socket, thrown);
    }
  }

  function open(socket: WebSocket, stream: Duplex, admitted: Awaited<ReturnType<typeof admit>>): void {
    keepAlive(socket, stream, parts.heartbeatMs);
    connections.set(socket, new AgentConnection(socket, { ...parts, ...admitted }));
    // Of a caller: a broken or too large frame. `ws` closes the socket with the code that says so.
    socket.on('error', () => {});
    socket.once('close', () => connections.delete(socket));
  }

  return {
    route(path) {
      const id = agentIn(path);
      return id === undefined ? undefined : (...request) => void accept(id, ...request);
    },
    async close() {
      const drained = inFlight.drain(parts.shutdownMs);
      const closed = new Promise((resolve) => server.close(resolve));
      for (const connection of connections.values())
        void connection.end(1001, 'draining: Concord is shutting down', streamDraining(), false);
      await drained;
      await closesWithin(closed, farewellMs, () => {
        for (const socket of connections.keys()) socket.terminate();
      });
    },
  };
}

function agentIn(path: string): string | undefined {
  const [, id] = /^\/a2a\/([^/]+)\/ws$/.exec(path) ?? [];
  try {
    return id === undefined ? undefined : decodeURIComponent(id);
  } catch {
    return undefined;
  }
}

/** Answers the handshake as a request is answered over HTTP. */
function refuseSocket(calls: Pick<Calls, 'refused'>, socket: Duplex, thrown: unknown): void {
  const error = asConcordError(thrown instanceof Refusal ? thrown.error : thrown);
  calls.refused(error);
  const isOwn = thrown instanceof Refusal || thrown instanceof AccessRefused;
  const status = isOwn ? thrown.status : statusOf(error).http;
  const body = agentErrorText(null, error);
  const challenge = thrown instanceof AccessRefused ? thrown.challenge : undefined;
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(challenge === undefined ? [] : [`WWW-Authenticate: ${challenge}`]),
    ...(status === 503 ? ['Retry-After: 1'] : []),
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
