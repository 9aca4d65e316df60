import type { Request, Response } from 'express';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { ErrorCode } from '../base/errors.ts';
import { getOrInsert } from '../base/getOrInsert.ts';
import { refuse } from '../base/reasons.ts';
import { becomeStream } from '../calls/becomeStream.ts';
import { credentialsIn } from '../calls/credentials.ts';
import { asConcordError } from '../calls/faults.ts';
import { InFlight, type Taken } from '../calls/inFlight.ts';
import { parseParams } from '../calls/params.ts';
import { retryAfter } from '../calls/statuses.ts';
import { openStream } from '../calls/streamAccount.ts';
import { requestDraining } from '../calls/streamEnd.ts';
import { awaitReader, beginHeartbeat } from '../calls/streamPace.ts';
import type { Bounds } from '../changes/view.ts';
import { mutationsAreNotServed, operationType } from '../knowledge/query/operations.ts';
import type { Principal } from '../security/principal.ts';
import { changeResults } from './changeResults.ts';
import type { ConnectionParts } from './connection.ts';
import { graphqlError } from './errors.ts';
import { operationParams } from './operationParams.ts';
import { admitSubscription, tellSubscription } from './watched.ts';

export interface EventStreamParts extends Omit<ConnectionParts, 'slots'> {
  heartbeatMs: number;
  shutdownMs: number;
}

/** What is asked for over a stream, and by whom. */
export interface StreamCall {
  principal: Principal;
  /** @throws ConcordError -32602 */
  bounds(): Bounds;
  /** Answers what is no subscription; JSON. @throws what isn't answered */
  query(): Promise<string>;
}

export interface EventStreams {
  /** Answers a request with a stream of its own. It does not throw. */
  answer(request: Request, response: Response, call: StreamCall): Promise<void>;
  /** Takes no more requests, ends the streams with reason `draining`, and cuts what isn't closed after SHUTDOWN_MS. */
  close(): Promise<void>;
}

/** Whether a request is to be answered with a stream of events. */
export function wantsEvents(request: Request): boolean {
  if (request.method !== 'POST') return false;
  return request.accepts(['application/json', 'application/graphql-response+json', events]) === events;
}

const events = 'text/event-stream';

/** GraphQL over server-sent events: the distinct connections mode of `graphql-sse`, one operation a stream. */
export function createEventStreams(parts: EventStreamParts): EventStreams {
  const inFlight = new InFlight();
  return {
    async answer(request, response, call) {
      // A write to a caller that has just gone is an 'error' event; the response's 'close' says all there is to know.
      response.on('error', () => {});
      if (inFlight.draining) {
        response.status(503).json({ errors: [graphqlError(requestDraining())] });
        return;
      }
      const taken = inFlight.open(response);
      try {
        const kind = operationIn(request.body);
        if (kind === 'mutation') throw refuse('operation', mutationsAreNotServed);
        if (kind === 'subscription') await answerChanges(parts, taken, request, response, call);
        else {
          const text = await call.query();
          begin(response, parts.heartbeatMs);
          write(response, nextEvent(text));
        }
      } catch (thrown) {
        tell(parts, taken, response, call.principal, thrown);
      }
      if (!response.destroyed) response.end('event: complete\ndata: \n\n');
    },
    close: () => inFlight.drain(parts.shutdownMs),
  };
}

/** Of what cannot be read nothing is known: who answers queries says why. */
function operationIn(body: { query?: unknown; operationName?: unknown } | undefined) {
  const { query, operationName } = body ?? {};
  if (typeof query !== 'string') return undefined;
  return operationType(query, typeof operationName === 'string' ? operationName : undefined);
}

/** @throws GraphQLError with the code, the reason and the cursor to resume after, and what `follow` throws */
async function answerChanges(
  parts: EventStreamParts,
  taken: Taken,
  request: Request,
  response: Response,
  { principal, bounds: boundsOf }: StreamCall,
): Promise<void> {
  const { schema, follow, entities, authenticate, instruments, logger, heartbeatMs } = parts;
  const { signal } = taken;
  await admitSubscription(parts, principal);
  const { query: subscription, operationName, variables } = parseParams(operationParams, request.body);
  const bounds = boundsOf();
  const call = { principal, signal };
  const changes = await follow({ subscription, operationName, variables, bounds, isGraphql: true }, call);
  becomeStream(taken, authenticate, credentialsIn(request));
  tellSubscription(parts, principal);
  begin(response, heartbeatMs);
  const results = changeResults(changes, {
    schema,
    variables,
    signal,
    open: () => openStream('graphql event stream', instruments, logger),
    pace: () => (response.writableNeedDrain ? awaitReader(response, signal, heartbeatMs) : undefined),
    entities: entities({ changes, variables, bounds, call }),
  });
  for await (const result of results) write(response, frameOf(result));
}

/** The protocol has every fault come as a result, so that it agrees with what the caller accepts. */
function tell(
  parts: EventStreamParts,
  { signal }: Taken,
  response: Response,
  principal: Principal,
  thrown: unknown,
): void {
  const { logger, heartbeatMs } = parts;
  if (response.destroyed) return;
  // What a stream has ended by is told already as GraphQL has it.
  const cause = signal.aborted && !response.headersSent ? signal.reason : thrown;
  const error = cause instanceof GraphQLError ? undefined : asConcordError(cause);
  if (error && !response.headersSent) tellSubscription(parts, principal, error);
  const told = error ? graphqlError(error) : (cause as GraphQLError);
  const { code, ...data } = told.extensions;
  if (code === ErrorCode.InternalError) logger.error({ err: cause }, 'call failed');
  const again = retryAfter({ data });
  if (again !== undefined && !response.headersSent) response.setHeader('Retry-After', again);
  begin(response, heartbeatMs);
  write(response, nextEvent(JSON.stringify({ errors: [told] })));
}

function begin(response: Response, heartbeatMs: number): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(200, {
    'Content-Type': events,
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  beginHeartbeat(response, heartbeatMs);
}

function write(response: Response, frame: Buffer | string): void {
  if (!response.destroyed) response.write(frame);
}

const frames = new WeakMap<ExecutionResult, Buffer>();

/** The bytes of a result, which are made once for all who get the same. Nobody may write to them. */
function frameOf(result: ExecutionResult): Buffer {
  return getOrInsert(frames, result, () => Buffer.from(nextEvent(JSON.stringify(result))));
}

/** @param json in one line, as JSON.stringify makes it */
function nextEvent(json: string): string {
  return `event: next\ndata: ${json}\n\n`;
}
