import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { isLoopback } from '../base/isLoopback.ts';

/**
 * Why a service that knows no identities doesn't answer a request, or undefined if it does. A web page can make a
 * browser send requests to this machine: from its own origin, or under a name of its own that resolves to 127.0.0.1
 * (DNS rebinding). The Host and Origin headers give both away. For upgrades to WebSocket too.
 * @param allowed origins that are let in, as browsers write them
 */
export function foreignRequest(
  { headers }: IncomingMessage,
  allowed: ReadonlySet<string> = new Set(),
): string | undefined {
  const host = hostOf(`http://${headers.host ?? ''}`);
  if (!host || !isLoopback(host)) return 'The Host header must be localhost, 127.0.0.1 or [::1]';
  if (headers.origin !== undefined && !allowed.has(headers.origin)) {
    const origin = hostOf(headers.origin);
    if (!origin || !isLoopback(origin)) return 'Requests of web pages from other hosts are not answered';
  }
  return undefined;
}

/** Answers foreign requests with 403. */
export function loopbackOnly(allowed?: ReadonlySet<string>): RequestHandler {
  return (request, response, next) => {
    const reason = foreignRequest(request, allowed);
    if (reason) response.status(403).json({ error: reason });
    else next();
  };
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
