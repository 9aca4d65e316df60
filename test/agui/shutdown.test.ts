import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { afterEach, expect, jest, test } from '@jest/globals';
import express from 'express';
import { createGateway, type GatewayParts } from '../../src/agui/gateway.ts';
import { stateIn } from '../../src/calls/callState.ts';
import { InFlight } from '../../src/calls/inFlight.ts';
import { streamDraining } from '../../src/calls/streamEnd.ts';
import { localPrincipal } from '../../src/security/principal.ts';
import { createInstruments } from '../../src/telemetry/instruments.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { listening } from '../client/listening.ts';

// What goes on in spite of a shutdown would be waited for.
jest.setTimeout(10_000);

/** The gateway in front of an agent that never answers. */
async function gateway() {
  const inFlight = new InFlight();
  const state = { asked: 0, authenticated: 0 };
  const handler = {
    listTasks: async () => ({ tasks: [] }),
    sendMessageStream: async function* (_message: unknown, context: ServerCallContext) {
      state.asked += 1;
      const { signal } = stateIn(context);
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      yield {};
    },
  } as unknown as A2ARequestHandler;
  const parts: GatewayParts = {
    ...{ handler, inFlight, answers: true, model: undefined, heartbeatMs: 10_000 },
    find: async () => ({ agents: [] }),
    list: async () => ({ agents: [] }),
    rowsOf: async () => [],
    authenticate: async () => {
      state.authenticated += 1;
      return localPrincipal;
    },
    bodyLimits: { ofKnown: 10_000, ofAnybody: 10_000 },
    instruments: createInstruments(),
    logger: createLogger('silent'),
    oversight: {},
  };
  const app = express();
  app.post('/ag-ui', createGateway(parts));
  const server = createServer(app);
  const { url } = await listening(server);
  servers.push(server);
  return { url, inFlight, state };
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const body = JSON.stringify({
  ...{ threadId: 't', runId: 'r', tools: [], context: [], state: {}, forwardedProps: {} },
  messages: [{ id: 'm', role: 'user', content: 'hello' }],
});

/** Sends the first half of a run, and the rest when it is told to. */
function halfOf(url: string) {
  const request = httpRequest(`${url}/ag-ui`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: 'Bearer x',
    },
  });
  request.write(body.slice(0, 20));
  const answer = once(request, 'response').then(async ([response]: IncomingMessage[]) => {
    let text = '';
    for await (const chunk of response ?? []) text += chunk;
    return { status: response?.statusCode, text };
  });
  return { answer, rest: () => request.end(body.slice(20)) };
}

const until = async (condition: () => boolean) => {
  for (const end = Date.now() + 5_000; !condition(); await new Promise(setImmediate)) {
    if (Date.now() > end) throw new Error('It never was');
  }
};

test('a run whose body arrives while the service closes is not begun', async () => {
  const { url, inFlight, state } = await gateway();
  const { answer, rest } = halfOf(url);
  // Who it is is known before the body is read.
  await until(() => state.authenticated === 1);
  await inFlight.drain(0);
  rest();
  const { status, text } = await answer;
  expect([status, text, state.asked]).toEqual([503, expect.stringContaining('DRAINING'), 0]);
});

test('a run under way ends with the service at once, and tells that it may be begun again', async () => {
  const { url, inFlight, state } = await gateway();
  const { answer, rest } = halfOf(url);
  rest();
  await until(() => state.asked === 1);
  await inFlight.drain(5_000);
  const { status, text } = await answer;
  expect(status).toBe(200);
  expect(JSON.parse(text.trim().split('\n\n').at(-1)?.slice('data: '.length) ?? '')).toMatchObject({
    type: 'RUN_ERROR',
    message: streamDraining().message,
    code: 'draining',
  });
});
