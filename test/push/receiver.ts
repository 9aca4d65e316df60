import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from '../client/listening.ts';

export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface TestReceiver {
  url: string;
  received: Received[];
  /** How requests are answered: 200 unless the test says otherwise. */
  answer: (response: ServerResponse, request: Received) => void;
  close(): Promise<void>;
}

/** A receiver of push notifications, over real HTTP. */
export async function startReceiver(): Promise<TestReceiver> {
  const server = createServer(async (request, response) => {
    const got = { path: request.url ?? '', headers: request.headers, body: await text(request) };
    receiver.received.push(got);
    receiver.answer(response, got);
  });
  const { url, close } = await listening(server);
  const receiver: TestReceiver = {
    url,
    received: [],
    answer: (response) => response.end('thanks'),
    close() {
      server.closeAllConnections();
      return close();
    },
  };
  return receiver;
}
