import { RequestMalformedError } from '@a2a-js/sdk/errors';
import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express';
import { isSearch } from '../../agents/find.ts';
import { isObject } from '../../base/isObject.ts';
import type { Methods } from '../../calls/call.ts';
import type { InFlight } from '../../calls/inFlight.ts';
import { invalidParams } from '../../calls/params.ts';
import { requestDraining } from '../../calls/streamEnd.ts';
import type { Authenticate } from '../../security/authenticator.ts';
import { type BodyLimits, bodyReader } from '../protocol/body.ts';
import type { Calls } from '../protocol/calls.ts';
import { identify } from '../protocol/identify.ts';
import { ProtocolError } from '../protocol/protocolError.ts';
import { jsonOf, refuseRequest } from './requests.ts';

export interface AgentsRestParts {
  methods: Methods['unary'];
  authenticate: Authenticate;
  calls: Calls;
  inFlight: InFlight;
  bodyLimits: BodyLimits;
}

/** What is asked of a method. */
interface Asked {
  method: string;
  paramsOf(request: Request, body: object): object;
  /** Of the answer; 200 if left out. */
  status?: number;
}

const get: Asked = { method: 'agents/get', paramsOf: ({ params }) => ({ id: params.id }) };
const remove: Asked = { method: 'agents/remove', paramsOf: ({ params }) => ({ id: params.id }) };
const register: Asked = { method: 'agents/register', paramsOf: (_, body) => body, status: 201 };
const list: Asked = { method: 'agents/list', paramsOf: asked };
const find: Asked = { method: 'agents/find', paramsOf: asked };

/** The registry over plain HTTP, to be mounted at `/agents`: each request is a call of a method of `agents/`. */
export function agentsRest(parts: AgentsRestParts): Router {
  const { methods, authenticate, calls, inFlight } = parts;
  const readBody = bodyReader(parts.bodyLimits);

  async function serve({ method, paramsOf, status = 200 }: Asked, request: Request, response: Response): Promise<void> {
    response.on('error', () => {});
    try {
      if (inFlight.draining) throw requestDraining();
      const { body, principal } = await identify(
        request,
        authenticate,
        async (isKnown) => (request.method === 'POST' ? bodyOf(await readBody(request, response, isKnown)) : {}),
        (params) => [params],
      );
      if (inFlight.draining) throw requestDraining();
      const { signal } = inFlight.open(response);
      const serving = methods.get(method);
      if (!serving) throw new Error(`There is no method ${method}`);
      const outcome = await calls.spanned(
        { method },
        (span) => calls.made({ method }, { principal, signal }, span, (call) => serving(paramsOf(request, body), call)),
        'http+json',
      );
      if (!outcome.ok) return refuseRequest({ refused() {} }, request, response, outcome.error, '1.0');
      if (!response.destroyed) response.status(status).set('Cache-Control', 'no-store').json(outcome.value);
    } catch (thrown) {
      refuseRequest(calls, request, response, thrown, '1.0');
    }
  }

  const router = express.Router();
  router
    .route('/')
    .get((request, response) => serve(isSearch(request.query) ? find : list, request, response))
    .post((request, response) => serve(register, request, response));
  router
    .route('/:id')
    .get((request, response) => serve(get, request, response))
    .delete((request, response) => serve(remove, request, response));
  const unreadableId: ErrorRequestHandler = (error, request, response, next) => {
    if (!(error instanceof URIError)) return next(error);
    const fault = { path: ['id'], message: 'is not percent-encoded as UTF-8' };
    refuseRequest(calls, request, response, invalidParams([fault]), '1.0');
  };
  return router.use(unreadableId);
}

/** The params of a query in an address, where all are texts. */
function asked({ query }: Request): object {
  const { first } = query;
  return { ...query, ...(typeof first === 'string' && /^\d+$/.test(first) && { first: Number(first) }) };
}

function bodyOf(bytes: Uint8Array): object {
  const body = jsonOf(bytes);
  if (isObject(body)) return body;
  throw ProtocolError.of(new RequestMalformedError('The body is not a JSON object'));
}
