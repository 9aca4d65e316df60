import type { Request, Response } from 'express';
import type { A2aCore } from '../../a2a/a2a.ts';
import { type BodyLimits, bodyReader } from '../../a2a/protocol/body.ts';
import type { Calls } from '../../a2a/protocol/calls.ts';
import { type Identified, identify } from '../../a2a/protocol/identify.ts';
import { jsonOf } from '../../a2a/rest/requests.ts';
import type { Call } from '../../calls/call.ts';
import type { Taken } from '../../calls/inFlight.ts';
import { requestDraining } from '../../calls/streamEnd.ts';
import type { Authenticate } from '../../security/authenticator.ts';
import { refuseRequest } from './errors.ts';

export interface RequestParts {
  core: Pick<A2aCore, 'inFlight'>;
  authenticate: Authenticate;
  bodyLimits: BodyLimits;
  calls: Calls;
}

/** What answers a request whose caller is known. */
export type Answer = (call: Call, body: unknown, request: Request) => Promise<object>;

export interface Requests {
  /** Finds out who sends a request, and takes it in. @throws AccessRefused, Refusal, ConcordError */
  identified(request: Request, response: Response): Promise<Identified<unknown> & { taken: Taken }>;
  /** Serves a method with one answer. What it returns does not throw. */
  serve(method: string, answer: Answer): (request: Request, response: Response) => Promise<void>;
}

/** What the requests of this dialect share: who sends them, the accounting, and how they are refused. */
export function createRequests({ core: { inFlight }, authenticate, bodyLimits, calls }: RequestParts): Requests {
  const readBody = bodyReader(bodyLimits);

  async function identified(request: Request, response: Response) {
    if (inFlight.draining) throw requestDraining();
    const known = await identify(
      request,
      authenticate,
      async (isKnown) => (request.method === 'POST' ? bodyIn(await readBody(request, response, isKnown)) : {}),
      (body) => [body],
    );
    if (inFlight.draining) throw requestDraining();
    return { ...known, taken: inFlight.open(response) };
  }

  return {
    identified,
    serve: (method, answer) => async (request, response) => {
      response.on('error', () => {});
      try {
        const { body, principal, taken } = await identified(request, response);
        const { signal } = taken;
        const outcome = await calls.spanned(
          { method },
          (span) => calls.made({ method }, { principal, signal }, span, (call) => answer(call, body, request)),
          'rest',
        );
        if (!outcome.ok) return refuseRequest(undefined, response, outcome.error);
        if (!response.destroyed) response.set('Cache-Control', 'no-store').json(outcome.value);
      } catch (thrown) {
        refuseRequest(calls, response, thrown);
      }
    },
  };
}

/** A request may have no body, as a cancellation needs none. */
const bodyIn = (bytes: Uint8Array): unknown => (bytes.length === 0 ? {} : jsonOf(bytes));
