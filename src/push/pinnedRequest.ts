import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { pinnedTo, type Receiver } from './receiverAddress.ts';

/** Begins a request at the addresses that were checked, over a connection of its own. Redirects are not followed. */
export function pinnedRequest(
  { url, addresses }: Receiver,
  {
    headers,
    ...options
  }: Pick<RequestOptions, 'method' | 'signal' | 'cert' | 'key' | 'ca'> & {
    headers: Record<string, string>;
  },
): ClientRequest {
  const begin = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const own = { ...headers, Connection: 'close' };
  return begin(url, { ...options, headers: own, agent: false, lookup: pinnedTo(addresses) });
}

/**
 * Sends a request and waits for its answer, whose body its reader must read or destroy.
 * @throws what the connection failed with
 */
export function answerTo(request: ClientRequest, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', (response) => {
      response.on('error', () => {});
      resolve(response);
    });
    request.on('error', reject);
    request.end(body);
  });
}
