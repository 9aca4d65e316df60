import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Endpoint } from '../a2a/jsonrpc/endpoint.ts';
import { introspectionIsOff } from '../schema/introspection.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { continueTrace, traceId } from '../telemetry/tracing.ts';
import type { Health } from './health.ts';
import { index } from './indexPage.ts';
import { loopbackOnly } from './loopback.ts';

export interface AppParts {
  endpoint: Endpoint;
  /** Answers with the agent card: at its address of today, and for old clients at that of A2A 0.2. */
  card: RequestHandler;
  legacyCard: RequestHandler;
  /** The public key that cards are signed with, as a JSON Web Key Set; absent where they aren't. */
  cardKeys?: object;
  /** The HTTP+JSON transport of A2A, below `/a2a`. */
  rest: RequestHandler;
  /** Undefined where the schema is not shown. */
  schemaSdl: () => string | undefined;
  health: Health;
  metrics: Pick<Metrics, 'handle'>;
  logger: Logger;
  /** True while identities are configured; without them only requests from this machine are answered. */
  identities?: boolean;
  /** Further handlers, each under its path: `/graphql`. */
  mount?: Record<string, RequestHandler>;
}

/** Builds the Express application from its parts. Every answer that isn't a document is JSON, errors too. */
export function createApp(parts: AppParts): Express {
  const { endpoint, schemaSdl, health, metrics, logger } = parts;
  const app = express();
  // Content security upgrades to https would break a plain listener; TLS ends in front of Concord.
  app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  if (!parts.identities) app.use(loopbackOnly);
  app.use((request, _response, next) => continueTrace(request.headers, next));

  app.post('/a2a', (request, response) => endpoint.handle(request, response));
  app.all('/a2a', (_request, response) => {
    response.status(405).set('Allow', 'POST').json({ error: 'Send JSON-RPC 2.0 requests by POST' });
  });
  app.use('/a2a', parts.rest);
  app.get('/.well-known/agent-card.json', parts.card);
  app.get('/.well-known/agent.json', parts.legacyCard);
  if (parts.cardKeys) {
    app.get('/.well-known/jwks.json', (_request, response) => {
      response.set('Cache-Control', 'public, max-age=3600').json(parts.cardKeys);
    });
  }
  app.get('/schema.graphql', (_request, response) => {
    const sdl = schemaSdl();
    if (sdl === undefined) response.status(403).json({ error: introspectionIsOff });
    else response.set('Cache-Control', 'no-cache').type('text/plain').send(sdl);
  });

  app.get('/healthz', (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });
  app.get('/readyz', async (_request, response) => {
    const { ready, checks } = await health();
    const status = endpoint.draining ? 'draining' : ready ? 'ready' : 'not ready';
    const code = status === 'ready' ? 200 : 503;
    response.status(code).set('Cache-Control', 'no-store').json({ status, checks });
  });
  app.get('/metrics', (request, response) => metrics.handle(request, response));

  for (const [path, handler] of Object.entries(parts.mount ?? {})) app.use(path, handler);
  app.get('/', index(Object.keys(parts.mount ?? {})));
  app.use(notFound, answerError(logger));
  return app;
}

/** The answer where there is nothing. */
const notFound: RequestHandler = (_request, response) => {
  response.status(404).json({ error: 'There is nothing at this address; GET / lists what there is' });
};

/** The answer when a handler failed: a caller's fault in its words, Concord's own only in the log. */
function answerError(logger: Logger): ErrorRequestHandler {
  return (error, _request, response, _next) => {
    const { status, expose, message } = error as { status?: number; expose?: boolean; message?: string };
    const callers = status !== undefined && status >= 400 && status < 500;
    if (!callers) logger.error({ err: error }, 'request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (callers) response.status(status).json({ error: expose === false || !message ? 'Bad request' : message });
    else response.status(500).json({ error: 'Internal error', traceId: traceId() });
  };
}
