import type { BlockList } from 'node:net';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { A2a } from '../a2a/a2a.ts';
import { requestAddress } from '../limits/address.ts';
import type { RateLimits } from '../limits/rateLimits.ts';
import type { Authenticate } from '../security/authenticator.ts';
import { continueTrace } from '../telemetry/tracing.ts';
import { answerError, notFound } from './answers.ts';
import { crossOrigin } from './crossOrigin.ts';
import { takeForwarded } from './forwardedCertificate.ts';
import { index } from './indexPage.ts';
import { loopbackOnly } from './loopback.ts';
import { type OperationsParts, operationsForCallers } from './operations.ts';
import { parting } from './parting.ts';
import { type ProtectedResource, protectedResource } from './protectedResource.ts';
import { rateLimited } from './rateLimited.ts';

export interface AppParts extends OperationsParts, Omit<A2a, 'listenGrpc' | 'core' | 'methods'> {
  /** The agents below `/a2a/{agent}`. */
  agentOs?: RequestHandler;
  /** `/agent-card` and `/tasks/…`. */
  restDialect?: RequestHandler;
  /** ONE's envelopes, at `/a2a/messages`. */
  one?: RequestHandler;
  /** Absent where no identities are configured. */
  authenticate?: Authenticate;
  /** Whether operators have a port of their own. */
  operationsApart: boolean;
  /** Absent where nothing is limited. */
  rates?: RateLimits | undefined;
  /** Whose `X-Forwarded-For` is believed; absent means nobody's. */
  proxies?: BlockList;
  /** Whose `Client-Cert` is believed; absent means nobody's. */
  certificateProxies?: BlockList | undefined;
  /** Where callers get tokens; absent where none are taken. */
  protectedResource?: ProtectedResource | undefined;
  /** Origins whose web pages may call. */
  origins: ReadonlySet<string>;
  /** The description of all addresses. */
  openApi?: RequestHandler;
  /** AG-UI, for front ends of people. */
  gateway?: RequestHandler;
  /** Further handlers, each under its path: `/graphql`. */
  mount: Record<string, RequestHandler>;
}

/** Builds the Express application from its parts. Every answer that isn't a document is JSON, errors too. */
export function createApp(parts: AppParts): Express {
  const { endpoint, logger, draining, authenticate, origins, operationsApart, mount } = parts;
  const app = express();
  app.use(parting(draining));
  // Content security upgrades to https would break a plain listener.
  app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  // Before what may refuse: a page is to read why.
  if (origins.size > 0) app.use(crossOrigin(origins));
  if (!parts.identities) app.use(loopbackOnly(origins));
  app.use((request, _response, next) => continueTrace(request.headers, requestAddress(request, parts.proxies), next));
  if (parts.rates) app.use(rateLimited(parts.rates));
  const { certificateProxies } = parts;
  if (certificateProxies)
    app.use((request, _response, next) => {
      takeForwarded(request, certificateProxies);
      next();
    });

  if (parts.protectedResource) app.use(protectedResource(parts.protectedResource));
  app.post('/a2a', (request, response) => endpoint.handle(request, response));
  app.all('/a2a', (_request, response) => {
    response.status(405).set('Allow', 'POST').json({ error: 'Send JSON-RPC 2.0 requests by POST' });
  });
  if (parts.one) app.use('/a2a/messages', parts.one);
  if (parts.agentOs) app.use('/a2a', parts.agentOs);
  app.use('/a2a', parts.rest);
  app.use('/agents', parts.registry);
  if (parts.restDialect) app.use(parts.restDialect);
  if (parts.openApi) app.use(parts.openApi);
  if (parts.gateway) app.post('/ag-ui', parts.gateway);
  app.all('/ag-ui', (_request, response) => {
    response.status(405).set('Allow', 'POST').json({ error: 'Send a RunAgentInput of AG-UI by POST' });
  });
  app.get('/.well-known/agent-card.json', parts.card);
  app.get('/.well-known/agent.json', parts.legacyCard);
  if (parts.cardKeys) {
    app.get('/.well-known/jwks.json', (_request, response) => {
      response.set('Cache-Control', 'public, max-age=3600').json(parts.cardKeys);
    });
  }
  app.use(operationsForCallers(parts, authenticate, operationsApart));
  for (const [path, handler] of Object.entries(mount)) app.use(path, handler);
  app.get('/', index(Object.keys(mount), operationsApart));
  app.use(notFound, answerError(logger));
  return app;
}
