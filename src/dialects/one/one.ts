import { randomUUID } from 'node:crypto';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { A2aCore } from '../../a2a/a2a.ts';
import { bodyLimits, bodyReader } from '../../a2a/protocol/body.ts';
import { createCalls } from '../../a2a/protocol/calls.ts';
import { identify } from '../../a2a/protocol/identify.ts';
import { adviseRetry, Refusal, send } from '../../a2a/protocol/response.ts';
import { jsonOf } from '../../a2a/rest/requests.ts';
import { headersOf, messageTypes, type WrittenEnvelope } from '../../agents/envelopes/envelope.ts';
import { type ConcordError, ErrorCode } from '../../base/errors.ts';
import { isObject } from '../../base/isObject.ts';
import type { Call, UnaryMethod } from '../../calls/call.ts';
import { asConcordError } from '../../calls/faults.ts';
import { soon, statusOf } from '../../calls/statuses.ts';
import { requestDraining } from '../../calls/streamEnd.ts';
import type { Config } from '../../config/config.ts';
import type { Oversight } from '../../limits/oversight.ts';
import type { Authenticate } from '../../security/authenticator.ts';
import { AccessRefused } from '../../security/refused.ts';
import type { Instruments } from '../../telemetry/instruments.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { type AnswerParts, errorAnswer } from './answers.ts';
import { listEvents } from './listing.ts';
import { type ReceivingParts, received } from './receiving.ts';

export interface OneParts extends Omit<ReceivingParts, 'handler' | 'limits' | 'now'> {
  core: A2aCore;
  authenticate: Authenticate;
  /** Whether callers need credentials. */
  identities: boolean;
  /** Where Concord takes messages, as others reach it. */
  endpoint(): string;
  config: Pick<Config, 'MAX_BODY_BYTES' | 'TASK_TIMEOUT_MS' | 'DELEGATION_TIMEOUT_MS' | 'WORKFLOW_TIMEOUT_MS'>;
  instruments: Instruments;
  logger: Logger;
  oversight: Oversight;
}

const listed = 'messages';
const none: UnaryMethod = async () => ({});
const names = new Map([...messageTypes, listed].map((type) => [`one ${type}`, none]));

/**
 * ONE's envelopes, to be mounted at `/a2a/messages`: a message by POST, which is answered with one; what has come and
 * gone by GET. It does not throw.
 */
export function createOne(parts: OneParts): RequestHandler {
  const { authenticate, config, instruments, logger } = parts;
  const { handler, inFlight } = parts.core;
  const readBody = bodyReader(bodyLimits(config.MAX_BODY_BYTES, parts.identities));
  const calls = createCalls({ unary: names, streaming: new Map() }, instruments, logger, parts.oversight);
  const receiving: ReceivingParts = { ...parts, handler, limits: config, now: Date.now };

  /** Makes a call of a request whose caller is known. */
  async function made<T>(
    response: Response,
    name: string,
    call: Omit<Call, 'signal'>,
    make: (call: Call) => Promise<T>,
  ) {
    const { signal } = inFlight.open(response);
    const request = { method: `one ${name}` };
    const outcome = await calls.spanned(request, (span) => calls.made(request, { ...call, signal }, span, make), 'one');
    if (!outcome.ok) throw new Made(outcome.error);
    return outcome.value;
  }

  async function take(request: Request, response: Response, answer: AnswerParts, heard: (body: unknown) => void) {
    refuseWhileDraining();
    const { body, principal } = await identify(
      request,
      authenticate,
      async (isKnown) => jsonOf(await readBody(request, response, isKnown)),
      () => [],
    );
    heard(body);
    refuseWhileDraining();
    return made(response, typeIn(body), { principal }, (call) =>
      received(receiving, { body, headers: request.headers, answer }, call),
    );
  }

  function refuseWhileDraining(): void {
    if (inFlight.draining) throw requestDraining();
  }

  function accounted(thrown: unknown): ConcordError {
    const error = asConcordError(thrown instanceof Refusal || thrown instanceof Made ? thrown.error : thrown);
    if (!(thrown instanceof Made)) calls.refused(error);
    return error;
  }

  const router = express.Router();
  router.post('/', async (request, response) => {
    response.on('error', () => {});
    const answer = { messageId: randomUUID(), now: Date.now(), endpoint: parts.endpoint() };
    let body: unknown;
    try {
      const message = await take(request, response, answer, (heard) => {
        body = heard;
      });
      sendMessage(response, message.message.type === 'task_acceptance' ? 202 : 200, message);
    } catch (thrown) {
      const error = accounted(thrown);
      adviseRetry(response, error);
      const told = parts.seals.sign(errorAnswer(answer, body, error));
      sendMessage(response, statusFor(thrown, error, response), told);
    }
  });
  router.get('/', async (request, response) => {
    response.on('error', () => {});
    try {
      refuseWhileDraining();
      const { principal } = await identify(
        request,
        authenticate,
        async () => undefined,
        () => [],
      );
      const events = await made(response, listed, { principal }, (call) =>
        listEvents(parts.events, request.query, call),
      );
      if (!response.destroyed) response.set('Cache-Control', 'no-store').json({ events });
    } catch (thrown) {
      const error = accounted(thrown);
      const { code, message, data } = error;
      const status = statusFor(thrown, error, response);
      if (!response.headersSent) response.status(status).json({ error: { code, message, data } });
    }
  });
  router.all('/', (_request, response) => {
    response.status(405).set('Allow', 'GET, POST').json({ error: 'Send messages of ONE by POST' });
  });
  return router;
}

/** What a call came to, which is accounted for already. */
class Made extends Error {
  constructor(readonly error: ConcordError) {
    super(error.message);
  }
}

function statusFor(thrown: unknown, error: ConcordError, response: Response): number {
  if (thrown instanceof AccessRefused && thrown.challenge && !response.headersSent) {
    response.set('WWW-Authenticate', thrown.challenge);
  }
  if (thrown instanceof Refusal) return thrown.status;
  const status = error.code === ErrorCode.TaskNotFound ? 404 : statusOf(error).http;
  if (status === 503 && !response.headersSent) response.set('Retry-After', soon);
  return status;
}

function sendMessage(response: Response, status: number, message: WrittenEnvelope): void {
  if (response.destroyed) return;
  response.set(headersOf(message));
  send(response, status, JSON.stringify(message));
}

/** For metrics and logs, which name no other. */
function typeIn(body: unknown): string {
  const message = isObject(body) ? body.message : undefined;
  const type = isObject(message) ? message.type : undefined;
  return messageTypes.find((each) => each === type) ?? 'unknown';
}
