import type { IncomingMessage, Server } from 'node:http';
import type { BlockList } from 'node:net';
import type { Duplex } from 'node:stream';
import { requestAddress } from '../limits/address.ts';
import type { RateLimits } from '../limits/rateLimits.ts';
import { continueTrace } from '../telemetry/tracing.ts';
import { takeForwarded } from './forwardedCertificate.ts';
import { foreignRequest } from './loopback.ts';

/** Takes over a connection on which the other side waits for the WebSocket handshake. */
export type AcceptSocket = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** What takes over a WebSocket at a path, without its query; undefined where nothing does. */
export type SocketRoute = (path: string) => AcceptSocket | undefined;

/**
 * Hands the requests for a WebSocket to the first of the routes that takes them, if a request for anything else would
 * be answered too. Every other request to upgrade is answered as if it hadn't asked, RFC 9110 section 7.8: some HTTP
 * clients offer h2c with each first request.
 */
export function serveSockets(
  server: Server,
  routes: readonly SocketRoute[],
  { identities, origins, rates, proxies, certificateProxies }: SocketOptions,
): void {
  server.on('upgrade', async (request, socket, head) => {
    if (certificateProxies) takeForwarded(request, certificateProxies);
    const isSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    const answered = isSocket && (identities || foreignRequest(request, origins) === undefined);
    const address = requestAddress(request, proxies);
    // Nobody else listens to it yet.
    socket.on('error', ignore);
    const isTaken = answered && (await isAdmitted(rates, address));
    socket.off('error', ignore);
    const accept = isTaken ? acceptIn(routes, request.url?.split('?', 1)[0] ?? '') : undefined;
    if (accept) continueTrace(request.headers, address, () => accept(request, socket, head));
    else withoutUpgrade(server, request, socket, head);
  });
}

const ignore = () => {};

interface SocketOptions {
  identities: boolean;
  origins?: ReadonlySet<string>;
  rates?: RateLimits | undefined;
  proxies?: BlockList;
  certificateProxies?: BlockList | undefined;
}

/** What is one too many is answered as a request that asks for no socket. */
async function isAdmitted(rates: RateLimits | undefined, address: string | undefined): Promise<boolean> {
  try {
    await rates?.admitAddress(address);
    return true;
  } catch {
    return false;
  }
}

function acceptIn(routes: readonly SocketRoute[], path: string): AcceptSocket | undefined {
  for (const route of routes) {
    const accept = route(path);
    if (accept) return accept;
  }
  return undefined;
}

/** Gives the connection back to the server, with the request as it would stand there without the upgrade. */
function withoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  let lines = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!/^(connection|upgrade|http2-settings)$/i.test(name)) lines += `${name}: ${rawHeaders[at + 1]}\r\n`;
  }
  // Node reads headers as latin1.
  socket.unshift(Buffer.concat([Buffer.from(`${lines}\r\n`, 'latin1'), head]));
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket);
}
