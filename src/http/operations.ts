import express, { type Express, type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import { refuse } from '../base/reasons.ts';
import { credentialsIn } from '../calls/credentials.ts';
import { countRefusal } from '../calls/refusals.ts';
import { soon } from '../calls/statuses.ts';
import { introspectionIsOff } from '../schema/introspection.ts';
import type { Authenticate } from '../security/authenticator.ts';
import type { Scope } from '../security/principal.ts';
import { AccessRefused } from '../security/refused.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { answerError, notFound } from './answers.ts';
import type { Health } from './health.ts';
import { loopbackOnly } from './loopback.ts';

/** What is shown to operators and to their programs. */
export interface OperationsParts {
  /** Undefined where the schema is not shown. */
  schemaSdl: () => string | undefined;
  health: Health;
  /** Whether the service shuts down, or is about to. */
  draining: () => boolean;
  metrics: Pick<Metrics, 'handle' | 'instruments'>;
  logger: Logger;
  /** True while identities are configured; without them only requests from this machine are answered. */
  identities?: boolean;
}

/** The addresses of a port for operators (OPERATIONS_PORT), which asks nobody for credentials. */
export function createOperationsApp(parts: OperationsParts): Express {
  const app = express();
  app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  if (!parts.identities) app.use(loopbackOnly());
  app.use(health(parts, true));
  app.get('/metrics', (request, response) => parts.metrics.handle(request, response));
  app.get('/schema.graphql', schema(parts));
  app.use(notFound, answerError(parts.logger));
  return app;
}

/**
 * The same for the port of callers. Where identities are configured, the schema is for those with credentials; so are
 * the metrics, for the scope `admin`. Where operators have a port, there are no metrics here, and `/readyz` says only
 * whether it is.
 * @param authenticate absent where no identities are configured
 * @param isApart whether operators have a port of their own
 */
export function operationsForCallers(
  parts: OperationsParts,
  authenticate: Authenticate | undefined,
  isApart: boolean,
): Router {
  const router = Router();
  const only = (scope?: Scope): RequestHandler[] => (authenticate ? [callersOnly(parts, authenticate, scope)] : []);
  router.use(health(parts, !isApart));
  if (!isApart)
    router.get('/metrics', ...only('admin'), (request, response) => parts.metrics.handle(request, response));
  router.get('/schema.graphql', ...only(), schema(parts));
  return router;
}

function health({ health, draining }: OperationsParts, tellsChecks: boolean): Router {
  const router = Router();
  router.get('/healthz', (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    const { ready, checks } = await health();
    const status = draining() ? 'draining' : ready ? 'ready' : 'not ready';
    const code = status === 'ready' ? 200 : 503;
    response
      .status(code)
      .set('Cache-Control', 'no-store')
      .json({ status, ...(tellsChecks && { checks }) });
  });
  return router;
}

function schema({ schemaSdl }: OperationsParts): RequestHandler {
  return (_request, response) => {
    const sdl = schemaSdl();
    if (sdl === undefined) response.status(403).json({ error: introspectionIsOff });
    else response.set('Cache-Control', 'no-cache').type('text/plain').send(sdl);
  };
}

/** Lets those in whose credentials stand in a header, and have the scope where one is needed. */
function callersOnly({ metrics }: OperationsParts, authenticate: Authenticate, scope?: Scope): RequestHandler {
  return async (request, response, next) => {
    try {
      const { scopes } = await authenticate(credentialsIn(request));
      if (scope === undefined || scopes.has(scope)) return next();
      const refusal = refuse('missing-scope', `The caller lacks the scope ${scope}`);
      countRefusal(metrics.instruments, refusal);
      response.status(403).json({ error: refusal.message, reason: 'missing-scope' });
    } catch (error) {
      if (!(error instanceof AccessRefused)) throw error;
      if (error.challenge) response.set('WWW-Authenticate', error.challenge);
      if (error.status === 503) response.set('Retry-After', soon);
      response.status(error.status).json({ error: error.message, reason: error.reason });
    }
  };
}
