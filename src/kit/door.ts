import { createHash, timingSafeEqual } from 'node:crypto';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { foreignRequest } from '../http/loopback.ts';

/** Lets in who sends the token of the agent. */
export function requireToken(token: string): RequestHandler {
  const wanted = digest(`Bearer ${token}`);
  return (request, response, next) => {
    if (timingSafeEqual(digest(request.get('authorization') ?? ''), wanted)) return next();
    response.status(401).set('WWW-Authenticate', 'Bearer').json({ error: 'Send the token of this agent' });
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Answers requests to this machine, and to where the agent is published: without a token any web page could otherwise
 * reach it by the browser of who runs it.
 */
export function ownHostOnly(publicUrl: string | undefined): RequestHandler {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl);
  return (request, response, next) => {
    const { host, origin } = request.headers;
    const isPublished = host === own?.host && (origin === undefined || origin === own?.origin);
    const reason = isPublished ? undefined : foreignRequest(request);
    if (reason === undefined) next();
    else response.status(403).json({ error: reason });
  };
}

/** Answers what could not be read in the form of JSON-RPC 2.0, section 5.1. */
export const jsonRpcFaults: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error);
  const { status, type } = error as { status?: number; type?: string };
  const isNoJson = type === 'entity.parse.failed';
  const fault = isNoJson
    ? { code: -32700, message: 'The body is not JSON' }
    : { code: -32600, message: type === 'entity.too.large' ? 'The body is too long' : 'The body cannot be read' };
  response.status(status ?? 400).json({ jsonrpc: '2.0', id: null, error: fault });
};

/** Says in plain words of params that the SDK cannot read what it would say in those of the JavaScript engine. */
export const plainFaults: RequestHandler = (_request, response, next) => {
  const answer = response.json.bind(response);
  response.json = (body: { error?: { code?: unknown } } | undefined) => {
    if (body?.error?.code !== internalError) return answer(body);
    return answer({ ...body, error: { code: -32602, message: 'The params cannot be read' } });
  };
  next();
};

/** What the SDK answers with where its own reading of a request fails: a skill that fails ends its task. */
const internalError = -32603;
