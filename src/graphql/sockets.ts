import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ExecutionResult } from 'graphql';
import { CloseCode, handleProtocols, MessageType, makeServer } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { closesWithin } from '../base/endsWithin.ts';
import { ConcordError } from '../base/errors.ts';
import { requireShallow } from '../calls/nesting.ts';
import { farewellMs, keepAlive } from '../calls/socketPace.ts';
import { streamDraining } from '../calls/streamEnd.ts';
import { Connection, type ConnectionParts } from './connection.ts';
import { socketCredentials } from './credentials.ts';

export interface SocketParts extends ConnectionParts {
  maxMessageBytes: number;
  /** Milliseconds between pings; a socket may be silent for two of them. */
  heartbeatMs: number;
  shutdownMs: number;
}

export interface Sockets {
  /** Takes over an HTTP connection that asks for a WebSocket. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Takes no more sockets, ends the subscriptions with reason `draining`, and cuts what isn't closed after SHUTDOWN_MS.
   */
  close(): Promise<void>;
}

/** Bytes of whom nobody knows yet: its credentials. */
const longestIntroduction = 65_536;
/** What comes of them until they have heard that it was too much. */
const longestFarewell = 4 * longestIntroduction;
/** Sockets of whom nobody knows yet. What has not said who it is in three seconds, graphql-ws closes. */
const mostUnknown = 1_000;
/** RFC 6455, section 7.4.1. */
const messageTooBig = 1009;

/** Subscriptions over WebSocket: protocol graphql-transport-ws. */
export function createSockets(parts: SocketParts): Sockets {
  const connections = new Map<WebSocket, Connection>();
  // The types of `ws` don't know the last one.
  const settings = { noServer: true, maxPayload: parts.maxMessageBytes, handleProtocols, closeTimeout: farewellMs };
  const server = new WebSocketServer(settings);
  const protocol = makeServer<Record<string, unknown>, { connection: Connection; request: IncomingMessage }>({
    onConnect: ({ connectionParams, extra: { connection, request } }) =>
      connection.introduce(() => socketCredentials(request, connectionParams)),
    onSubscribe: ({ extra: { connection } }, _id, payload) => connection.subscribe(payload),
    subscribe: ({ contextValue }) => contextValue as AsyncIterable<ExecutionResult>,
  });

  function open(socket: WebSocket, stream: Duplex, request: IncomingMessage): void {
    const connection = new Connection(socket, parts);
    connections.set(socket, connection);
    keepAlive(socket, stream, parts.heartbeatMs);
    boundIntroduction(socket, stream, connection);
    const fail = (error: unknown) => {
      // Nothing can be written to a caller that has just gone.
      if (socket.readyState !== socket.OPEN) return;
      parts.logger.error({ err: error }, 'socket failed');
      socket.close(1011, 'Internal error');
    };
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        // Settles when it is on its way, which is what holds back the changes for a slow reader.
        send: (text) =>
          new Promise((resolve, reject) => {
            socket.send(text, (error) => (error ? reject(error) : resolve()));
          }),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (take) =>
          socket.on('message', (data) => {
            if (socket.readyState !== socket.OPEN) return;
            const text = data.toString();
            const fault = faultOf(text);
            if (fault === undefined) take(text).catch(fail);
            // A reason has at most 123 bytes, and what is cut in two is written with up to three more.
            else socket.close(CloseCode.BadRequest, Buffer.from(fault).subarray(0, 120).toString());
          }),
      },
      { connection, request },
    );
    // Of a caller: a broken or too large frame. `ws` closes the socket with the code that says so.
    socket.on('error', () => {});
    socket.once('close', (code, reason) => {
      connections.delete(socket);
      closed(code, reason.toString()).catch(fail);
    });
  }

  return {
    accept(request, socket, head) {
      const unknown = [...connections.values()].filter(({ isIntroduced }) => !isIntroduced).length;
      if (unknown >= mostUnknown)
        socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n\r\n');
      else server.handleUpgrade(request, socket, head, (opened) => open(opened, socket, request));
    },
    close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const connection of connections.values())
        void connection.end(1001, 'Concord is shutting down', streamDraining());
      return closesWithin(closed, parts.shutdownMs, () => {
        for (const socket of connections.keys()) socket.terminate();
      });
    },
  };
}

/** Reads no more of whom nobody knows than says who it is, whether or not that is a whole message. */
function boundIntroduction(socket: WebSocket, stream: Duplex, connection: Connection): void {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (connection.isIntroduced) stream.off('data', count);
    else if (bytes > longestFarewell) socket.terminate();
    else if (bytes > longestIntroduction) {
      socket.close(messageTooBig, 'The first message says who opens the socket, and no more');
    }
  };
  stream.on('data', count);
}

const ofServers: ReadonlySet<unknown> = new Set([MessageType.ConnectionAck, MessageType.Next, MessageType.Error]);

/** What is wrong with a message of a caller's that graphql-ws would take for a fault of ours. */
function faultOf(text: string): string | undefined {
  try {
    requireShallow(text);
    const { type } = JSON.parse(text);
    return ofServers.has(type) ? `A message of type ${type} comes from the server only` : undefined;
  } catch (error) {
    // What is no message at all, graphql-ws refuses.
    return error instanceof ConcordError ? error.message : undefined;
  }
}
