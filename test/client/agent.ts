import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from './listening.ts';

export interface AgentRequest {
  method: string;
  params: Record<string, unknown>;
  headers: IncomingMessage['headers'];
}

export interface Agent {
  url: string;
  /** Calls that it got, cards not counted. */
  requests: AgentRequest[];
  close(): Promise<void>;
}

/** What an agent says to a call; `id` is that of the request. */
export type Script = (response: ServerResponse, request: AgentRequest, id: unknown) => unknown;

export interface AgentOptions {
  capabilities?: object;
  /** Where the card is. */
  cardPath?: string;
  /** The card, over what it would be. */
  card?: object;
  script?: Script;
}

/** Another agent than Concord, over real HTTP: it has a card and says what the test has it say. */
export async function startAgent(options: AgentOptions = {}): Promise<Agent> {
  const { capabilities = everything, cardPath = '/.well-known/agent-card.json' } = options;
  const requests: AgentRequest[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const found = request.url === cardPath;
      response.writeHead(found ? 200 : 404, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(found ? { url: `${url}/a2a`, capabilities, ...options.card } : {}));
      return;
    }
    const { id, method, params } = JSON.parse(await text(request));
    const made = { method, params, headers: request.headers };
    requests.push(made);
    (options.script ?? nothing)(response, made, id);
  });
  const { url, close } = await listening(server);
  return {
    url,
    requests,
    close() {
      server.closeAllConnections();
      return close();
    },
  };
}

export const everything = {
  streaming: true,
  knowledgeGraph: true,
  knowledgeGraphQueryLanguages: ['graphql'],
};

/** Answers with a result or an error. */
export function answer(response: ServerResponse, id: unknown, outcome: object, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
}

/** Begins a stream of server-sent events. */
export function stream(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', ...headers }).flushHeaders();
}

/** Sends one event; an outcome is `{ result }` or `{ error }`. */
export function event(response: ServerResponse, outcome: object, cursor?: number | string): void {
  const id = cursor === undefined ? '' : `id: ${cursor}\n`;
  response.write(`${id}data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, ...outcome })}\n\n`);
}

const nothing: Script = (response, _request, id) => answer(response, id, { result: {} });
