import { Extensions } from '@a2a-js/sdk';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import { ConcordError } from '../../base/errors.ts';
import { becomeStream } from '../../calls/becomeStream.ts';
import type { Call, Methods, ServiceParameters } from '../../calls/call.ts';
import { asConcordError } from '../../calls/faults.ts';
import type { InFlight } from '../../calls/inFlight.ts';
import { isRefusal } from '../../calls/refusals.ts';
import { statusOf } from '../../calls/statuses.ts';
import { requestDraining } from '../../calls/streamEnd.ts';
import type { Config } from '../../config/config.ts';
import type { Oversight } from '../../limits/oversight.ts';
import { isOverLimit } from '../../limits/rateLimits.ts';
import type { Authenticate } from '../../security/authenticator.ts';
import { AccessRefused } from '../../security/refused.ts';
import type { Instruments } from '../../telemetry/instruments.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { type BodyLimits, bodyReader } from '../protocol/body.ts';
import { type Calls, createCalls } from '../protocol/calls.ts';
import { EXTENSION_URI } from '../protocol/extension.ts';
import { identify } from '../protocol/identify.ts';
import { adviseRetry, Refusal, send } from '../protocol/response.ts';
import { errorText } from './answers.ts';
import { type Body, isMalformed, parseBody, type Request } from './jsonrpc.ts';
import { streamer } from './stream.ts';
import { answerer } from './unary.ts';

export interface EndpointParts {
  /** Of the extension and of the protocol itself. */
  methods: Methods;
  /** The names of those of the extension. */
  ofExtension: ReadonlySet<string>;
  /** The requests under way, over every transport of A2A. */
  inFlight: InFlight;
  authenticate: Authenticate;
  bodyLimits: BodyLimits;
  config: Pick<Config, 'HEARTBEAT_MS' | 'SHUTDOWN_MS' | 'A2A_KIT'>;
  instruments: Instruments;
  logger: Logger;
  oversight: Oversight;
}

export interface Endpoint {
  /** Answers POST /a2a. It does not throw. */
  handle(request: HttpRequest, response: HttpResponse): Promise<void>;
  /** True once `close` was called. */
  readonly draining: boolean;
  /**
   * Refuses new requests with 503, ends the streams with reason `draining`, and waits at most SHUTDOWN_MS for the calls
   * under way before it aborts them.
   */
  close(): Promise<void>;
}

/** The JSON-RPC 2.0 endpoint over HTTP, with server-sent events for streaming methods. */
export function createEndpoint(parts: EndpointParts): Endpoint {
  const { methods, inFlight, config, instruments, logger } = parts;
  const calls = createCalls(methods, instruments, logger, parts.oversight);
  const readBody = bodyReader(parts.bodyLimits);
  const answerBody = answerer(methods, calls, { answersFaultyNotifications: config.A2A_KIT });
  const answerStream = streamer({ methods, calls, heartbeatMs: config.HEARTBEAT_MS, instruments, logger });

  function streamRequest({ batch, entries: [entry] }: Body): Request | undefined {
    const single = !batch && entry && !isMalformed(entry);
    return single && methods.streaming.has(entry.method) ? entry : undefined;
  }

  async function answer(request: HttpRequest, response: HttpResponse): Promise<void> {
    refuseWhileDraining();
    const { body, credentials, principal } = await identify(
      request,
      parts.authenticate,
      async (isKnown) => parseBody(await readBody(request, response, isKnown)),
      ({ entries }) => entries.map((entry) => (isMalformed(entry) ? undefined : entry.params)),
    );
    refuseWhileDraining();
    const toStream = streamRequest(body);
    const taken = inFlight.open(response);
    const lastEventId = request.get('Last-Event-ID');
    const call: Call = {
      principal,
      signal: taken.signal,
      serviceParameters: serviceParameters(request, response),
      ...(lastEventId !== undefined && { lastEventId }),
    };
    if (!toStream) {
      let status = 200;
      const text = await answerBody(body, call, (error) => {
        adviseRetry(response, error);
        if (isOfExtension(body) && (isRefusal(error) || isOverLimit(error))) status = statusOf(error).http;
      });
      return send(response, text === undefined ? 204 : status, text);
    }
    becomeStream(taken, parts.authenticate, credentials);
    await answerStream(toStream, call, response);
  }

  /**
   * Whether it is one call of a method that is Concord's own. What refuses that has a status; of the methods of A2A it
   * has none, since the official client for Python reads no error under another status than 200.
   */
  function isOfExtension({ batch, entries: [entry] }: Body): boolean {
    return !batch && entry !== undefined && !isMalformed(entry) && parts.ofExtension.has(entry.method);
  }

  function refuseWhileDraining(): void {
    if (inFlight.draining) throw new Refusal(503, requestDraining());
  }

  return {
    async handle(request, response) {
      // A write to a caller that has just gone is an 'error' event; the response's 'close' says all there is to know.
      response.on('error', () => {});
      try {
        await answer(request, response);
      } catch (thrown) {
        refuse(calls, response, thrown);
      }
    },
    get draining() {
      return inFlight.draining;
    },
    close: () => inFlight.drain(config.SHUTDOWN_MS),
  };
}

/**
 * Answers a request that came to no call.
 * @param write how an error is written, where that isn't A2A's way
 */
export function refuse(
  calls: Pick<Calls, 'refused'>,
  response: HttpResponse,
  thrown: unknown,
  write: typeof errorText = errorText,
): void {
  const error = asConcordError(thrown instanceof Refusal ? thrown.error : thrown);
  calls.refused(error);
  const status =
    thrown instanceof Refusal || thrown instanceof AccessRefused
      ? thrown.status
      : thrown instanceof ConcordError
        ? 200
        : 500;
  if (thrown instanceof AccessRefused && thrown.challenge && !response.headersSent) {
    response.set('WWW-Authenticate', thrown.challenge);
  }
  if (!response.headersSent) send(response, status, write(null, error));
}

/**
 * What an HTTP request says of the protocol in its headers; A2A 1.0, section 3.2.6. Where it asks for the extension,
 * its answer names it, whether the method is the protocol's or the extension's own.
 */
function serviceParameters(request: HttpRequest, response: HttpResponse): ServiceParameters {
  const current = request.get('A2A-Extensions');
  const legacy = request.get('X-A2A-Extensions');
  const name = current === undefined && legacy !== undefined ? 'X-A2A-Extensions' : 'A2A-Extensions';
  const extensions = Extensions.parseServiceParameter(current ?? legacy);
  if (extensions.includes(EXTENSION_URI)) response.set(name, EXTENSION_URI);
  return { version: request.get('A2A-Version'), extensions };
}
