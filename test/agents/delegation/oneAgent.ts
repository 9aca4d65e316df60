import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listening } from '../../client/listening.ts';
import { type Message, post, type Reply } from '../../dialects/one/client.ts';

type Answer = (got: Message, response: ServerResponse) => void;

/** An agent of ONE that does whatever a test wants. */
export interface OneAgent {
  card: Record<string, unknown>;
  /** What it was sent, in order. */
  got: Message[];
  headers: IncomingMessage['headers'][];
  /** How messages are answered: with an acceptance unless the test says otherwise. */
  answer: Answer;
  /** What it would say to a message. */
  saying(to: Message, type: string, content: object, more?: object): Message;
  /** Says something to a message, at a Concord. */
  say(url: string, to: Message, type: string, content: object, more?: object): Promise<Reply>;
  close(): Promise<void>;
}

/** @param credentials headers with which it calls Concord */
export async function startOneAgent(
  id: string,
  capabilities: string[],
  credentials: Record<string, string>,
): Promise<OneAgent> {
  const server = createServer(async (request, response) => {
    const message = (await json(request)) as Message;
    agent.got.push(message);
    agent.headers.push(request.headers);
    agent.answer(message, response);
  });
  const { url, close } = await listening(server);
  const agent: OneAgent = {
    card: { agentId: id, endpoint: `${url}/messages`, capabilities },
    got: [],
    headers: [],
    answer: (got, response) => replied(response, agent.saying(got, 'task_acceptance', { taskId: 'theirs' }), 202),
    saying: ({ correlationId, to, from }, type, content, more = {}) => ({
      ...{ version: '1.0', messageId: randomUUID(), correlationId, timestamp: Date.now(), groupId: 'blue' },
      ...{ from: { ...to, agentId: id }, to: from },
      message: { type, content, mimeType: 'application/json' },
      ...more,
    }),
    say: (concord, to, type, content, more) => post(concord, agent.saying(to, type, content, more), credentials),
    close() {
      server.closeAllConnections();
      return close();
    },
  };
  return agent;
}

export function replied(response: ServerResponse, message: object | undefined, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(message && JSON.stringify(message));
}
