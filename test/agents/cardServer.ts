import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from '../client/listening.ts';

export interface CardServer {
  url: string;
  /** The requests so far: method and path. */
  asked: string[];
  requests: IncomingMessage[];
  /** What is answered by path; 404 otherwise. A value is sent as JSON. */
  answers: Map<string, object | ((response: ServerResponse, request: IncomingMessage) => void)>;
  close(): Promise<void>;
}

/** An agent's own server, over real HTTP. */
export async function startCardServer(): Promise<CardServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://host');
    cards.asked.push(`${request.method} ${pathname}`);
    cards.requests.push(request);
    const answer = cards.answers.get(pathname);
    if (typeof answer === 'function') answer(response, request);
    else if (answer === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  });
  const { url, close } = await listening(server);
  const cards: CardServer = {
    url,
    asked: [],
    requests: [],
    answers: new Map(),
    close() {
      server.closeAllConnections();
      return close();
    },
  };
  return cards;
}
