import type { IncomingMessage } from 'node:http';

export interface Received {
  status?: number;
  text: string;
  /** Of the connection, at this end. */
  port?: number;
}

/** A response that was read to its end. */
export async function received(response: IncomingMessage): Promise<Received> {
  const port = response.socket.localPort;
  let text = '';
  for await (const data of response) text += data;
  return { status: response.statusCode, text, port };
}
