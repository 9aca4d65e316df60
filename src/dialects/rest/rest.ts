import type { StreamResponse } from '@a2a-js/sdk';
import type { ServerCallContext } from '@a2a-js/sdk/server';
import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express';
import type { A2aCore } from '../../a2a/a2a.ts';
import { bodyLimits } from '../../a2a/protocol/body.ts';
import { contextOf } from '../../a2a/protocol/callContext.ts';
import { createCalls } from '../../a2a/protocol/calls.ts';
import { becomeStream } from '../../calls/becomeStream.ts';
import type { Call, UnaryMethod } from '../../calls/call.ts';
import { invalidParams, parseParams } from '../../calls/params.ts';
import { Slots } from '../../calls/slots.ts';
import { openStream } from '../../calls/streamAccount.ts';
import type { Config } from '../../config/config.ts';
import type { Oversight } from '../../limits/oversight.ts';
import type { Authenticate } from '../../security/authenticator.ts';
import type { Skills } from '../../skills/skill.ts';
import type { Instruments } from '../../telemetry/instruments.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { agentCardOf } from './card.ts';
import { refuseRequest } from './errors.ts';
import { sendRequest } from './messages.ts';
import { stateOf } from './progress.ts';
import { coreRequest, waitingRequest } from './read.ts';
import { type Answer, createRequests } from './requests.ts';
import { sendEvents } from './stream.ts';
import { writeTask } from './write.ts';

export interface RestDialectParts {
  core: A2aCore;
  /** What a task can ask for. */
  skills: Skills;
  authenticate: Authenticate;
  /** Whether callers need credentials. */
  identities: boolean;
  config: Pick<Config, 'REST_MAX_CONCURRENT' | 'TASK_MAX_RUNNING' | 'MAX_BODY_BYTES' | 'HEARTBEAT_MS'>;
  instruments: Instruments;
  logger: Logger;
  oversight: Oversight;
}

const none: UnaryMethod = async () => ({});
/** For metrics and logs, which name no other. */
const methods = {
  unary: new Map(['rest/send', 'rest/get', 'rest/cancel', 'rest/sendSubscribe'].map((name) => [name, none])),
  streaming: new Map(),
};

/**
 * The dialect of `text-to-sql-a2a.md`: `/agent-card` and `/tasks/…`, to be mounted at the root. Its tasks are those of
 * A2A.
 */
export function createRestDialect(parts: RestDialectParts): Router {
  const { core, skills, authenticate, config, instruments, logger } = parts;
  const { handler } = core;
  const calls = createCalls(methods, instruments, logger, parts.oversight);
  const limits = bodyLimits(config.MAX_BODY_BYTES, parts.identities);
  const { identified, serve } = createRequests({ core, authenticate, bodyLimits: limits, calls });
  const { REST_MAX_CONCURRENT: perAgent, TASK_MAX_RUNNING: inAll } = config;
  const doorSlots = new Slots({ what: 'tasks', perAgent, inAll });
  const card = agentCardOf(skills, perAgent);

  const contextIn = (call: Call): ServerCallContext => contextOf(call, '1.0');
  // Who speaks this dialect knows no answer to a message but a task.
  const beginning = (call: Call): ServerCallContext => contextOf(call, '1.0', { dialect: 'rest', doorSlots });

  const send: Answer = async (call, body) => {
    const request = waitingRequest(coreRequest(parseParams(sendRequest, body)), skills);
    const answer = await handler.sendMessage(request, beginning(call));
    if ('status' in answer) return { task_id: answer.id, status: stateOf(answer.status).status };
    // An executor of somebody else's may answer without a task.
    return { task_id: answer.taskId, status: 'completed' };
  };

  const get: Answer = async (call, _, { params }) =>
    writeTask(await handler.getTask({ tenant: '', id: String(params.id), historyLength: 0 }, contextIn(call)));

  const cancel: Answer = async (call, _, { params }) =>
    writeTask(await handler.cancelTask({ tenant: '', id: String(params.id), metadata: undefined }, contextIn(call)));

  /** It does not throw. */
  async function sendSubscribe(request: Request, response: Response): Promise<void> {
    const method = 'rest/sendSubscribe';
    response.on('error', () => {});
    try {
      const { body, principal, credentials, taken } = await identified(request, response);
      const { signal } = taken;
      // The first event is part of the call: until it has come the stream may still be refused.
      const begin = async (call: Call) => {
        const events = handler.sendMessageStream(coreRequest(parseParams(sendRequest, body)), beginning(call));
        return { events, first: await events.next() };
      };
      await calls.spanned(
        { method },
        async (span) => {
          const outcome = await calls.made({ method }, { principal, signal }, span, begin);
          if (!outcome.ok) return refuseRequest(undefined, response, outcome.error);
          becomeStream(taken, authenticate, credentials);
          const { first, events } = outcome.value;
          const account = openStream(method, instruments, logger);
          await sendEvents(response, goingOn(first, events), { signal, heartbeatMs: config.HEARTBEAT_MS, account });
          events.return().catch(() => {});
        },
        'rest',
      );
    } catch (thrown) {
      refuseRequest(calls, response, thrown);
    }
  }

  const router = express.Router();
  router.get('/agent-card', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=60').json(card);
  });
  router.post('/tasks/send', serve('rest/send', send));
  router.post('/tasks/sendSubscribe', sendSubscribe);
  router.get('/tasks/:id', serve('rest/get', get));
  router.post('/tasks/:id/cancel', serve('rest/cancel', cancel));
  const unreadableId: ErrorRequestHandler = (error, _request, response, next) => {
    if (!(error instanceof URIError)) return next(error);
    refuseRequest(calls, response, invalidParams([{ path: ['id'], message: 'is not percent-encoded as UTF-8' }]));
  };
  return router.use(unreadableId);
}

async function* goingOn(first: IteratorResult<StreamResponse, void>, events: AsyncGenerator<StreamResponse, void>) {
  for (let step = first; !step.done; step = await events.next()) yield step.value;
}
