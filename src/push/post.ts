import { pinnedRequest } from './pinnedRequest.ts';
import type { Receiver } from './receiverAddress.ts';

/** A request to a receiver. */
interface Post {
  headers: Record<string, string>;
  body: Buffer;
  /** Milliseconds for the connection, the request and the answer. */
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Posts to a receiver at the addresses that were checked, over a connection of its own. Redirects are not followed.
 * @returns the status of the answer, of which nothing else is kept
 * @throws what the connection failed with; an Error with code `ETIMEDOUT`
 */
export function post(receiver: Receiver, { headers, body, timeoutMs, signal }: Post): Promise<number> {
  const described = { ...headers, 'Content-Length': String(body.length) };
  return new Promise((resolve, reject) => {
    const request = pinnedRequest(receiver, { method: 'POST', headers: described, signal });
    const timer = setTimeout(
      () => request.destroy(Object.assign(new Error('No answer in time'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    );
    request.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.on('error', () => {});
      response.resume();
    });
    request.on('error', reject);
    request.on('close', () => clearTimeout(timer));
    request.end(body);
  });
}
