import { legacyRestRouter } from '@a2a-js/sdk/compat/v0_3/server/express';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { restHandler } from '@a2a-js/sdk/server/express';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { ConcordError } from '../../base/errors.ts';
import { isObject } from '../../base/isObject.ts';
import { becomeStream } from '../../calls/becomeStream.ts';
import { PrincipalUser } from '../../calls/callState.ts';
import type { InFlight } from '../../calls/inFlight.ts';
import { statusOf } from '../../calls/statuses.ts';
import { requestDraining } from '../../calls/streamEnd.ts';
import { awaitReader, beginHeartbeat } from '../../calls/streamPace.ts';
import type { Authenticate } from '../../security/authenticator.ts';
import { type BodyLimits, bodyReader } from '../protocol/body.ts';
import { callContext } from '../protocol/callContext.ts';
import type { Calls } from '../protocol/calls.ts';
import { identify } from '../protocol/identify.ts';
import { ProtocolError, unreadable } from '../protocol/protocolError.ts';
import { adviseRetry, Refusal } from '../protocol/response.ts';
import { jsonOf, refuseRequest } from './requests.ts';

export interface RestParts {
  /** Throws what the transport writes. */
  handler: A2ARequestHandler;
  authenticate: Authenticate;
  calls: Pick<Calls, 'refused'>;
  inFlight: InFlight;
  bodyLimits: BodyLimits;
  heartbeatMs: number;
  /** Answers as the conformance kit wants it, where that isn't what specification 1.0.1 says. */
  kit: boolean;
}

/**
 * HTTP+JSON, to be mounted at `/a2a`: `/a2a/v1/message:send` and so on, of A2A 1.0 (section 11) and 0.3 (section
 * 3.2.3), told apart by `A2A-Version`.
 */
export function rest(parts: RestParts): Router {
  const { handler, authenticate, inFlight, heartbeatMs, kit } = parts;
  const readBody = bodyReader(parts.bodyLimits);
  const users = new WeakMap<Request, PrincipalUser>();

  async function take(request: Request, response: Response): Promise<void> {
    if (inFlight.draining) throw requestDraining();
    const { body, credentials, principal } = await identify(
      request,
      authenticate,
      (isKnown) => jsonBody(() => readBody(request, response, isKnown), kit),
      (params) => [params],
    );
    if (inFlight.draining) throw requestDraining();
    const taken = inFlight.open(response);
    request.body = body;
    const streaming = {
      becomeStream() {
        becomeStream(taken, authenticate, credentials);
        beginHeartbeat(response, heartbeatMs);
      },
      pace: () => awaitReader(response, taken.signal, heartbeatMs),
    };
    users.set(request, new PrincipalUser(principal, taken.signal, streaming));
  }

  const before: RequestHandler = async (request, response, next) => {
    response.on('error', () => {});
    try {
      await take(request, response);
    } catch (thrown) {
      refuseRequest(parts.calls, request, response, thrown);
      return;
    }
    response.set('Cache-Control', 'no-store');
    answerPlainJson(request, response);
    answerFaults(request, response);
    next();
  };

  /**
   * Answers with the status of Concord's own errors, for which the SDK's router of 0.3 looks at the code alone. Where
   * the handler threw nothing, the router could not read the request, which is no fault of Concord's.
   */
  function answerFaults(request: Request, response: Response): void {
    const json = response.json.bind(response);
    response.json = (body) => {
      if (response.statusCode < 400) return json(body);
      const thrown = users.get(request)?.state.thrown;
      if (thrown instanceof ConcordError && !(thrown instanceof ProtocolError)) {
        response.status(statusOf(thrown).http);
        adviseRetry(response, thrown);
      }
      if (thrown !== undefined || response.statusCode < 500) return json(body);
      response.json = json;
      refuseRequest(parts.calls, request, response, unreadable('A member of the request is of a wrong type'));
      return response;
    };
  }

  const options = {
    requestHandler: handler,
    userBuilder: async (request: Request) => users.get(request) as PrincipalUser,
    contextBuilder: callContext,
  };
  const router = express.Router();
  router.use('/v1', before);
  router.use(legacyRestRouter(options));
  router.use('/v1', restHandler(options));
  return router;
}

/**
 * The body, an object; undefined where there is none. It is read here for the limit, and since the SDK's own reader
 * answers faults with a page.
 */
async function jsonBody(readBytes: () => Promise<Uint8Array>, kit: boolean): Promise<unknown> {
  const bytes = await readBytes().catch((thrown: unknown) => {
    if (!(thrown instanceof Refusal) || thrown.status !== 415) throw thrown;
    throw new Refusal(kit ? 415 : 400, thrown.error);
  });
  if (bytes.length === 0) return undefined;
  const body = jsonOf(bytes);
  // Clients of 0.3 send null for nothing.
  if (body !== null && !isObject(body)) {
    throw ProtocolError.of(new RequestMalformedError('The body is not a JSON object'));
  }
  return body;
}

/**
 * Answers with `application/json` unless the caller knows `application/a2a+json`; specification 1.0.0, section 11.2.
 */
function answerPlainJson(request: Request, response: Response): void {
  const knows = [request.get('Accept'), request.get('Content-Type')].some((header) =>
    header?.includes('application/a2a+json'),
  );
  if (knows) return;
  const json = response.json.bind(response);
  response.json = (body) => {
    response.setHeader('Content-Type', 'application/json');
    return json(body);
  };
}
