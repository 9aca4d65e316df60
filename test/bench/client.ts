import { Agent, type IncomingMessage, request } from 'node:http';
import { createParser } from 'eventsource-parser';
import type { ChangeEvent } from '../../src/knowledge/subscribe/subscribe.ts';

/** One for all servers, so that none has an advantage by its client. */
const agent = new Agent({ keepAlive: true });

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Sends JSON and gives the JSON answer, on a connection that is kept. */
export async function post(url: string, body: object, further: Record<string, string> = {}): Promise<unknown> {
  const response = await send(url, body, agent, further);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (response.statusCode !== 200) throw new Error(`${url} answers ${response.statusCode}: ${text}`);
  return JSON.parse(text);
}

/**
 * Calls a method of Concord.
 * @throws Error where the answer is an error: a failed call measures nothing
 */
export async function call<Result>(url: string, method: string, params: object): Promise<Result> {
  const answer = (await post(`${url}/a2a`, { jsonrpc: '2.0', id: 1, method, params })) as {
    result: Result;
    error?: object;
  };
  if (answer.error) throw new Error(`${method} answers ${JSON.stringify(answer.error)}`);
  return answer.result;
}

/**
 * Subscribes to every change. The promise settles when the subscription stands.
 * @param onEvent told of each event, with the time (performance.now) at which its bytes arrived
 * @returns how to leave
 */
export async function subscribeAll(
  url: string,
  onEvent: (event: ChangeEvent, at: number) => void,
): Promise<() => void> {
  const subscription = {
    jsonrpc: '2.0',
    id: 1,
    method: 'knowledge/subscribe',
    params: { subscriptionQuery: 'subscription { statementChanged { changeId } }' },
  };
  const response = await send(`${url}/a2a`, subscription, false);
  if (response.statusCode !== 200) throw new Error(`knowledge/subscribe answers ${response.statusCode}`);
  let at = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      const { result } = JSON.parse(data);
      // An error ends the stream; what it no longer delivers is counted as missing.
      if (result) onEvent(result, at);
    },
  });
  response.on('error', () => {});
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    at = performance.now();
    parser.feed(chunk);
  });
  return () => response.destroy();
}

function send(
  url: string,
  body: object,
  connections: Agent | false,
  further: Record<string, string> = {},
): Promise<IncomingMessage> {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      agent: connections,
      headers: { ...headers, ...further, 'content-length': Buffer.byteLength(text) },
    });
    outgoing.once('response', resolve).once('error', reject).end(text);
  });
}
