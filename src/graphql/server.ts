import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { GraphQLError, type OperationDefinitionNode, separateOperations } from 'graphql';
import { z } from 'zod';
import type { AuditedCall } from '../audit/audited.ts';
import { ConcordError } from '../base/errors.ts';
import { credentialsIn } from '../calls/credentials.ts';
import { nestingFault, requireShallow } from '../calls/nesting.ts';
import { parseParams } from '../calls/params.ts';
import { countRefusal, isRefusal } from '../calls/refusals.ts';
import { retryAfter, statusOf } from '../calls/statuses.ts';
import type { Bounds } from '../changes/view.ts';
import type { Closed } from '../graph/names/closed.ts';
import { ReadTransaction } from '../graph/reading/readTransaction.ts';
import { refuseClosedValues } from '../knowledge/closed/closedValues.ts';
import { asOf, conditionsOf, wishesOf } from '../knowledge/conditions.ts';
import { maxTokens } from '../knowledge/query/operations.ts';
import type { QueryParts } from '../knowledge/query/query.ts';
import type { FollowChanges } from '../knowledge/subscribe/follow.ts';
import type { Oversight } from '../limits/oversight.ts';
import { introspectionIsOff, ownRules } from '../schema/introspection.ts';
import type { Authenticate } from '../security/authenticator.ts';
import type { Principal } from '../security/principal.ts';
import { Forbidden } from '../security/refused.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { entityResults } from './entityResults.ts';
import { extensionsOf, graphqlError, httpOf, withReason } from './errors.ts';
import { createEventStreams, wantsEvents } from './eventStreams.ts';
import { explorer, wantsPage } from './explorer.ts';
import { boundedText, callerSignal, limitsPlugin } from './limits.ts';
import { operationParams } from './operationParams.ts';

/** Where the schema is shown, so is the explorer. */
export interface GraphqlParts extends Omit<QueryParts, 'takesCypher' | 'seesEdits' | 'operations'> {
  /** Whether queries may ask for the schema. */
  introspection: boolean;
  instruments: Instruments;
  authenticate: Authenticate;
  maxBodyBytes: number;
  follow: FollowChanges;
  entities: ReturnType<typeof entityResults>;
  logger: Logger;
  oversight: Oversight;
  /** Milliseconds between two signs of life on a stream. */
  heartbeatMs: number;
  shutdownMs: number;
}

/** What resolvers get: @neo4j/graphql runs its Cypher on `executionContext`. */
export interface Context {
  executionContext: ReadTransaction;
  closed: Closed | undefined;
  principal: Principal;
  /** Aborted when the caller goes away. */
  signal: AbortSignal;
  /** Once it was let in. */
  leave?: () => void;
}

/** The headers that stand for the conditions of `knowledge/query`. */
const headers = z.object({
  'x-required-certainty': z.coerce.number().min(0).max(1).optional(),
  'x-max-age-seconds': z.coerce.number().int().min(0).optional(),
  'x-as-of': asOf.optional(),
  'x-after-revision': z.coerce.number().int().min(0).optional(),
});

export interface GraphqlServer {
  handler: RequestHandler;
  /** Takes no more streams, and ends those that there are with reason `draining`. */
  closeStreams(): Promise<void>;
  close(): Promise<void>;
}

/** GraphQL over HTTP for analysts and tools: the same schema, principals and conditions as `knowledge/query`. */
export async function createGraphqlServer(parts: GraphqlParts): Promise<GraphqlServer> {
  const server = new ApolloServer<Context>({
    schema: parts.schema,
    // Refused by the rule that holds for knowledge/query too.
    introspection: true,
    validationRules: ownRules(parts.introspection),
    hideSchemaDetailsFromClientErrors: !parts.introspection,
    includeStacktraceInErrorResponses: false,
    formatError: withReason(parts.limits.maxDepth),
    parseOptions: { maxTokens },
    stringifyResult: boundedText(parts.maxBytes, parts.instruments),
    stopOnTerminationSignals: false,
    plugins: [
      // Apollo's own page loads from elsewhere.
      ApolloServerPluginLandingPageDisabled(),
      limitsPlugin(parts.limits, parts.instruments),
      {
        requestDidStart: async () => ({
          didResolveOperation: async ({ document, operation, request, contextValue: { closed } }) => {
            refuseSubscription(operation);
            try {
              if (!closed) return;
              const asked = separateOperations(document)[operation?.name?.value ?? ''] ?? document;
              refuseClosedValues(parts.schema, asked, request.variables, closed);
            } catch (error) {
              throw error instanceof ConcordError ? beforeExecution(error) : error;
            }
          },
          willSendResponse: async ({ contextValue: { executionContext, principal }, response: { body, http } }) => {
            const errors = (body.kind === 'single' && body.singleResult.errors) || [];
            parts.oversight.audit?.(auditedQuery(principal, errors[0]?.extensions));
            const [again] = errors.flatMap(({ extensions = {} }) => retryAfter({ data: extensions }) ?? []);
            if (again !== undefined) http.headers.set('retry-after', again);
            if (executionContext.isTruncated && body.kind === 'single')
              body.singleResult.extensions = { ...body.singleResult.extensions, truncated: true };
            executionContext.end();
          },
        }),
      },
    ],
  });
  await server.start();
  const callers = new WeakMap<Request, Promise<Principal>>();
  const middleware = expressMiddleware(server, {
    context: ({ req, res }) => httpContextOf(parts, callers.get(req), req, res),
  });
  const json = express.json({ limit: parts.maxBodyBytes });
  const { page, files } = explorer();
  const handler = Router();
  handler.use(files);
  handler.use((request, response, next) => {
    if (!wantsPage(request)) return next();
    if (parts.introspection) page(request, response);
    else response.status(403).json({ error: introspectionIsOff });
  });
  handler.use((request, response, next) => {
    const caller = (async () => parts.authenticate(credentialsIn(request)))();
    callers.set(request, caller);
    // Of a caller that is refused the body is not read: it waits for nothing but the refusal.
    const refuse = () => {
      request.body = {};
      next();
    };
    caller.then(() => json(request, response, next), refuse);
  });
  const streams = createEventStreams(parts);
  handler.use(refuseDeep, async (request, response, next) => {
    const principal = wantsEvents(request) ? await callers.get(request)?.catch(() => undefined) : undefined;
    // Who isn't known is refused as over HTTP.
    if (!principal) return next();
    const query = () => answerOf(server, parts, request, response, principal);
    await streams.answer(request, response, { principal, bounds: () => boundsOf(request), query });
  });
  handler.use(middleware);
  return {
    handler,
    closeStreams: () => streams.close(),
    close: () => server.stop(),
  };
}

/** What follows is recursive, and what GraphQL says of a value it says with the whole of it. */
const refuseDeep: RequestHandler = ({ body, query }, response, next) => {
  try {
    const fault = nestingFault(body);
    if (fault) throw fault;
    for (const name of ['variables', 'extensions']) {
      if (typeof query[name] === 'string') requireShallow(`{"${name}":${query[name]}}`);
    }
    next();
  } catch (error) {
    if (!(error instanceof ConcordError)) throw error;
    response.status(400).json({ errors: [graphqlError(error)] });
  }
};

/** Apollo would execute it as if it were a query. */
function refuseSubscription(operation: OperationDefinitionNode | undefined): void {
  if (operation?.operation !== 'subscription') return;
  const message =
    'Subscriptions are served here over WebSocket, by the protocol graphql-transport-ws, and as an event stream to who accepts text/event-stream';
  throw new GraphQLError(message, {
    extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
  });
}

/** Of the statements that a subscription is told of; other conditions are those of queries. */
function boundsOf(request: Request): Bounds {
  const asked = parseParams(headers, request.headers);
  return { requiredCertainty: asked['x-required-certainty'], maxAgeSeconds: asked['x-max-age-seconds'] };
}

/** Answers a query as it is answered over HTTP, whose status and headers don't travel over a stream. */
async function answerOf(
  server: ApolloServer<Context>,
  parts: GraphqlParts,
  request: Request,
  response: Response,
  principal: Principal,
): Promise<string> {
  const { query, operationName, variables } = parseParams(operationParams, request.body);
  const contextValue = await contextOf(parts, principal, request, response);
  const { body } = await server.executeOperation({ query, operationName, variables }, { contextValue });
  if (body.kind !== 'single') throw new Error('A query was answered in parts');
  return boundedText(parts.maxBytes, parts.instruments)(body.singleResult).trimEnd();
}

/** Answered as what is refused while a query is executed: with status 200. */
function beforeExecution({ message, code, data }: ConcordError): GraphQLError {
  return new GraphQLError(message, { extensions: { code, ...data, http: { status: 200 } } });
}

/** A query as the audit trail has it. */
function auditedQuery(principal: Principal | undefined, error: Record<string, unknown> | undefined): AuditedCall {
  const reason = typeof error?.reason === 'string' ? { reason: error.reason } : {};
  const outcome = error === undefined ? 'ok' : String(error.code ?? 'error');
  return { ...(principal && { principal }), method: 'graphql', outcome, ...reason, isRefusal: false };
}

/** The context of a request over HTTP; what refuses it has a status. */
async function httpContextOf(
  parts: GraphqlParts,
  caller: Promise<Principal> | undefined,
  request: Request,
  response: Response,
): Promise<Context> {
  try {
    const principal = await caller;
    if (!principal) throw new Error('The context was asked for before anybody was identified');
    return await contextOf(parts, principal, request, response);
  } catch (error) {
    if (!(error instanceof ConcordError)) throw error;
    countRefusal(parts.instruments, error);
    if (isRefusal(error)) {
      const principal = await caller?.catch(() => undefined);
      parts.oversight.audit?.({ ...auditedQuery(principal, { code: error.code, ...error.data }), isRefusal: true });
    }
    const { http: status } = statusOf(error);
    const again = retryAfter(error);
    if (again !== undefined) response.set('Retry-After', again);
    throw new GraphQLError(error.message, {
      extensions: { ...extensionsOf(error), http: httpOf(status, status === 503) },
    });
  }
}

/** @throws ConcordError for who may not query, and for headers that are no conditions */
async function contextOf(
  parts: GraphqlParts,
  principal: Principal,
  request: Request,
  response: Response,
): Promise<Context> {
  if (!principal.scopes.has('knowledge:query')) throw new Forbidden('missing-scope');
  await parts.oversight.rates?.admitCall(principal, 'graphql');
  const asked = parseParams(headers, request.headers);
  const conditions = {
    requiredCertainty: asked['x-required-certainty'],
    maxAgeSeconds: asked['x-max-age-seconds'],
    metadata: {
      asOf: asked['x-as-of'],
      afterRevision: asked['x-after-revision'],
      asOfRevision: undefined,
      consulted: undefined,
    },
  };
  const closed = parts.closedTo(principal);
  const asRead = conditionsOf(principal, conditions, closed, parts.now());
  const signal = callerSignal(response);
  const read = new ReadTransaction(parts, asRead, signal, wishesOf(conditions));
  return { executionContext: read, closed, principal, signal };
}
