import { toLegacyHTTPError } from '@a2a-js/sdk/compat/v0_3/server';
import { legacyRestRouter } from '@a2a-js/sdk/compat/v0_3/server/express';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { restHandler } from '@a2a-js/sdk/server/express';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { parse } from 'secure-json-parse';
import type { ConcordError } from '../errors.ts';
import { answerable } from '../knowledge/answerable.ts';
import { streamDraining } from '../knowledge/streamEnd.ts';
import type { Authenticate } from '../security/authenticator.ts';
import { AccessRefused } from '../security/refused.ts';
import { requestDraining } from './answers.ts';
import { bodyReader } from './body.ts';
import { callContext } from './callContext.ts';
import type { Calls } from './calls.ts';
import { endWhenRefused, identify } from './identify.ts';
import type { InFlight } from './inFlight.ts';
import { PrincipalUser } from './principalUser.ts';
import { ProtocolError } from './protocolError.ts';
import { Refusal } from './response.ts';
import { restBody, restErrors, restStatus } from './transportErrors.ts';
import { versionAsked } from './version.ts';

export interface RestParts {
  /** Throws what the transport writes. */
  handler: A2ARequestHandler;
  authenticate: Authenticate;
  calls: Pick<Calls, 'refused'>;
  inFlight: InFlight;
  maxBodyBytes: number;
  /** Answers as the conformance kit wants it, where that isn't what specification 1.0.1 says. */
  kit: boolean;
}

/**
 * HTTP+JSON, to be mounted at `/a2a`: `/a2a/v1/message:send` and so on, of A2A 1.0 (section 11) and 0.3 (section 3.2.3), told apart by
 * `A2A-Version`.
 */
export function rest(parts: RestParts): Router {
  const { handler, authenticate, inFlight, kit } = parts;
  const readBody = bodyReader(parts.maxBodyBytes);
  const users = new WeakMap<Request, PrincipalUser>();

  async function take(request: Request, response: Response): Promise<void> {
    if (inFlight.draining) throw requestDraining();
    const { body, credentials, principal } = await identify(
      request,
      authenticate,
      () => jsonBody(request, response, readBody, kit),
      (params) => [params],
    );
    if (inFlight.draining) throw requestDraining();
    const streaming = /:(stream|subscribe)$/.test(request.path);
    const { signal, abort } = inFlight.open(
      response,
      streaming,
      streaming ? streamDraining : requestDraining,
    );
    if (streaming) response.once('close', endWhenRefused(authenticate, credentials, abort));
    request.body = body;
    users.set(request, new PrincipalUser(principal, signal));
  }

  const before: RequestHandler = async (request, response, next) => {
    response.on('error', () => {});
    try {
      await take(request, response);
    } catch (thrown) {
      refuse(request, response, thrown);
      return;
    }
    response.set('Cache-Control', 'no-store');
    answerPlainJson(request, response);
    next();
  };

  function refuse(request: Request, response: Response, thrown: unknown): void {
    const error = answerable(thrown instanceof Refusal ? thrown.error : thrown);
    parts.calls.refused(error);
    const status = thrown instanceof Refusal ? thrown.status : restStatus(error);
    if (thrown instanceof AccessRefused && thrown.challenge) {
      response.set('WWW-Authenticate', thrown.challenge);
    }
    if (status === 503) response.set('Retry-After', '1');
    if (response.headersSent || response.destroyed) return;
    response.status(status).json(bodyOf(request, error, status));
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

function bodyOf(request: Request, error: ConcordError, status: number): object {
  if (versionAsked(request.get('A2A-Version')) === '0.3') {
    return toLegacyHTTPError(restErrors({ kit: false })(error));
  }
  return restBody(error, status);
}

/** The body; undefined where there is none. It is read here for the limit, and since the SDK's own reader answers faults with a page. */
async function jsonBody(
  request: Request,
  response: Response,
  readBody: ReturnType<typeof bodyReader>,
  kit: boolean,
): Promise<unknown> {
  if (request.method === 'GET' || request.method === 'DELETE') return undefined;
  const bytes = await readBody(request, response).catch((thrown: unknown) => {
    if (!(thrown instanceof Refusal) || thrown.status !== 415) throw thrown;
    throw new Refusal(kit ? 415 : 400, thrown.error);
  });
  if (bytes.length === 0) return undefined;
  try {
    return parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw ProtocolError.of(new RequestMalformedError('The body is not JSON'));
  }
}

/** Answers with `application/json` unless the caller knows `application/a2a+json`; specification 1.0.0, section 11.2. */
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
