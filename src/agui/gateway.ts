import type { Event } from '@ag-ui/core';
import { EventEncoder } from '@ag-ui/encoder';
import type { Request, RequestHandler, Response } from 'express';
import { type BodyLimits, bodyReader } from '../a2a/protocol/body.ts';
import { createCalls } from '../a2a/protocol/calls.ts';
import { identify } from '../a2a/protocol/identify.ts';
import { jsonOf, refuseRequest } from '../a2a/rest/requests.ts';
import { accountedStream } from '../calls/accountedStream.ts';
import { becomeStream } from '../calls/becomeStream.ts';
import type { Call, StreamingMethod } from '../calls/call.ts';
import type { InFlight } from '../calls/inFlight.ts';
import { openStream } from '../calls/streamAccount.ts';
import { requestDraining } from '../calls/streamEnd.ts';
import { awaitReader, beginHeartbeat } from '../calls/streamPace.ts';
import type { Oversight } from '../limits/oversight.ts';
import type { Authenticate } from '../security/authenticator.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import { type RunParts, runEvents } from './run.ts';
import { type RunRequest, runRequest } from './runRequest.ts';

export interface GatewayParts extends RunParts {
  authenticate: Authenticate;
  inFlight: InFlight;
  bodyLimits: BodyLimits;
  heartbeatMs: number;
  instruments: Instruments;
  oversight: Oversight;
}

const method = 'ag-ui';
const none: StreamingMethod = async () => (async function* () {})();

/**
 * `POST /ag-ui`: AG-UI over server-sent events, so that a person's front end reaches all registered agents by one
 * address. What is wrong with a request is answered under a status; what goes wrong afterwards is an event.
 */
export function createGateway(parts: GatewayParts): RequestHandler {
  const { authenticate, inFlight, instruments, logger } = parts;
  const readBody = bodyReader(parts.bodyLimits);
  const methods = { unary: new Map(), streaming: new Map([[method, none]]) };
  const calls = createCalls(methods, instruments, logger, parts.oversight);

  async function answer(request: Request, response: Response): Promise<void> {
    if (inFlight.draining) throw requestDraining();
    const { body, principal, credentials } = await identify(
      request,
      authenticate,
      async (isKnown) => jsonOf(await readBody(request, response, isKnown)),
      () => [],
    );
    if (inFlight.draining) throw requestDraining();
    const taken = inFlight.open(response);
    await calls.spanned(
      { method },
      async (span) => {
        const call: Call = { principal, signal: taken.signal };
        const outcome = await calls.made({ method }, call, span, async (traced) => ({ traced, run: runRequest(body) }));
        if (!outcome.ok) return refuseRequest({ refused() {} }, request, response, outcome.error, '1.0');
        becomeStream(taken, authenticate, credentials);
        await sendEvents(parts, response, outcome.value.run, outcome.value.traced);
      },
      method,
    );
  }

  return async (request, response) => {
    response.on('error', () => {});
    try {
      await answer(request, response);
    } catch (thrown) {
      refuseRequest(calls, request, response, thrown, '1.0');
    }
  };
}

/** The response is ended when this settles, and it does not throw. */
async function sendEvents(parts: GatewayParts, response: Response, run: RunRequest, call: Call): Promise<void> {
  const { heartbeatMs, instruments, logger } = parts;
  const encoder = new EventEncoder();
  response.writeHead(200, {
    'Content-Type': encoder.getContentType(),
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  beginHeartbeat(response, heartbeatMs);
  const { signal } = call;
  const write = (event: Event) => response.write(encoder.encodeSSE(event));
  const events = accountedStream(runEvents(parts, run, call), {
    // An abort is told by the run itself, as its last event.
    signal: new AbortController().signal,
    account: openStream(method, instruments, logger),
    pace: () => (response.writableNeedDrain ? awaitReader(response, signal, heartbeatMs) : undefined),
  });
  try {
    for await (const event of events) if (!response.destroyed) write(event);
  } catch {
    // It is told, and accounted for.
  }
  if (!response.destroyed) response.end();
}
