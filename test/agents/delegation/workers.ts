import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AgentCard } from '@a2a-js/sdk';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { cardOf } from '../../../src/kit/card.ts';
import { KitExecutor } from '../../../src/kit/executor.ts';
import type { AgentSkill } from '../../../src/kit/index.ts';
import { listening } from '../../client/listening.ts';

/** An agent of the official SDK: A2A 1.0 over HTTP+JSON without streams, and A2A 0.3 over JSON-RPC. */
export async function startSdkAgent(skills: AgentSkill[]) {
  const app = express();
  const { url, close } = await listening(createServer(app));
  const tasks = new InMemoryTaskStore();
  const executor = new KitExecutor({
    skills,
    tasks: { contextOf: () => '', bytesOf: () => 0 },
    ...{ timeoutMs: 30_000, mostRunning: 100 },
    onError() {},
  });
  const card: AgentCard = cardOf({ name: 'Sdk', description: '', version: '1', skills, url, isProtected: false });
  card.supportedInterfaces.push({ url, protocolBinding: 'HTTP+JSON', tenant: '', protocolVersion: '1.0' });
  const requestHandler = new DefaultRequestHandler(card, tasks, executor);
  const userBuilder = UserBuilder.noAuthentication;
  app.use('/rpc', express.json(), jsonRpcHandler({ requestHandler, userBuilder, legacyCompat: { enabled: true } }));
  app.use('/rest', restHandler({ requestHandler, userBuilder }));
  const named = skills.map(({ id, name, description, tags }) => ({ id, name, description, tags }));
  const plain = { name: 'Sdk', description: 'Of the SDK', version: '1', skills: named };
  return {
    close,
    rest: {
      ...plain,
      supportedInterfaces: [{ url: `${url}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }],
      capabilities: { streaming: false },
    },
    legacy: {
      ...plain,
      protocolVersion: '0.3.0',
      url: `${url}/rpc`,
      preferredTransport: 'JSONRPC',
      capabilities: { streaming: true },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
    },
  };
}

/** A request of JSON-RPC as an agent gets it. */
export interface Got {
  id: unknown;
  method: string;
  params: { id?: string; message?: { messageId: string; contextId: string; parts: object[]; metadata: object } };
}

type Answer = (got: Got, response: ServerResponse) => void;

/** An agent that does whatever a test wants, over JSON-RPC. */
export interface OddAgent {
  /** What it was asked, in order. */
  got: Got[];
  headers: NodeJS.Dict<string | string[]>[];
  /** What it does by method; anything else is answered with an error. */
  answers: Map<string, Answer>;
  card: Record<string, unknown>;
  server: Server;
  url: string;
  close(): Promise<void>;
}

export async function startOddAgent(isStreaming: boolean): Promise<OddAgent> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const got = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Got;
    odd.got.push(got);
    odd.headers.push(request.headers);
    const answer = odd.answers.get(got.method);
    if (answer) answer(got, response);
    else replied(response, { jsonrpc: '2.0', id: got.id, error: { code: -32601, message: 'No such method' } });
  });
  const { url, close } = await listening(server);
  const odd: OddAgent = {
    ...{ got: [], headers: [], answers: new Map(), server, url },
    card: {
      name: 'Odd',
      description: 'Does whatever a test wants',
      version: '1',
      supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      capabilities: { streaming: isStreaming },
      skills: [{ id: 'odd', name: 'Odd things', description: '', tags: ['strange'] }],
    },
    close() {
      server.closeAllConnections();
      return close();
    },
  };
  return odd;
}

export function replied(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export const result = (got: Got, value: object) => ({ jsonrpc: '2.0', id: got.id, result: value });

/** A task as A2A 1.0 writes it. */
export const taskJson = (id: string, state: string, more: object = {}) => ({
  id,
  contextId: 'theirs',
  status: { state: `TASK_STATE_${state}`, timestamp: new Date().toISOString() },
  ...more,
});

/** Begins a stream. @returns what writes an event */
export function streaming(got: Got, response: ServerResponse): (value: object) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return (value) => void response.write(`data: ${JSON.stringify(result(got, value))}\n\n`);
}
