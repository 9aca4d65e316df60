import type { Request, RequestHandler, Response } from 'express';
import { refuse } from '../../a2a/jsonrpc/endpoint.ts';
import { isMalformed, parseBody } from '../../a2a/jsonrpc/jsonrpc.ts';
import { answerer } from '../../a2a/jsonrpc/unary.ts';
import { type BodyLimits, bodyReader } from '../../a2a/protocol/body.ts';
import type { Calls } from '../../a2a/protocol/calls.ts';
import { identify } from '../../a2a/protocol/identify.ts';
import { adviseRetry, Refusal, send } from '../../a2a/protocol/response.ts';
import type { UnaryMethod } from '../../calls/call.ts';
import type { InFlight } from '../../calls/inFlight.ts';
import { requestDraining } from '../../calls/streamEnd.ts';
import type { Authenticate } from '../../security/authenticator.ts';
import { agentOf, callerOf } from './admission.ts';
import type { Agent, FindAgent } from './agents.ts';
import { agentErrorText } from './errors.ts';

export interface RpcParts {
  find: FindAgent;
  /** The method `run` of an agent, for a caller of this id. */
  runOf(agent: Agent, caller: string | undefined): UnaryMethod;
  calls: Calls;
  inFlight: InFlight;
  authenticate: Authenticate;
  bodyLimits: BodyLimits;
}

/** Answers `POST /a2a/{agent}/rpc`; AgentOS 0.3.0, section 3. It does not throw. */
export function rpcHandler(parts: RpcParts): RequestHandler<{ agent: string }> {
  const { find, runOf, calls, inFlight, authenticate } = parts;
  const readBody = bodyReader(parts.bodyLimits);

  async function answer(request: Request<{ agent: string }>, response: Response): Promise<void> {
    refuseWhileDraining();
    const { body, principal } = await identify(
      request as Request,
      authenticate,
      async (isKnown) => parseBody(await readBody(request as Request, response, isKnown)),
      ({ entries }) => entries.map((entry) => (isMalformed(entry) ? undefined : entry.params)),
    );
    refuseWhileDraining();
    const caller = callerOf(principal, request);
    const agent = await agentOf(find, request.params.agent, principal);
    const methods = { unary: new Map([['run', runOf(agent, caller)]]), streaming: new Map() };
    const answerBody = answerer(methods, calls, { answersFaultyNotifications: false, writeError: agentErrorText });
    const { signal } = inFlight.open(response);
    send(response, 200, await answerBody(body, { principal, signal }, (error) => adviseRetry(response, error)));
  }

  function refuseWhileDraining(): void {
    if (inFlight.draining) throw new Refusal(503, requestDraining());
  }

  return async (request, response) => {
    response.on('error', () => {});
    try {
      await answer(request, response);
    } catch (thrown) {
      refuse(calls, response, thrown, agentErrorText);
    }
  };
}
