import type { IncomingMessage } from 'node:http';
import { ConcordError } from '../../base/errors.ts';
import { isObject } from '../../base/isObject.ts';
import { orAborted } from '../../base/orAborted.ts';
import { refuse } from '../../base/reasons.ts';
import { withDeadline } from '../../base/withDeadline.ts';
import { isNestedTooDeeply } from '../../calls/nesting.ts';
import { answerTo, pinnedRequest } from '../../push/pinnedRequest.ts';
import type { Receiver } from '../../push/receiverAddress.ts';
import { deepestCard, longestCard } from '../cards/cardLimits.ts';
import { cardTooLarge, invalidCard } from '../cards/readCard.ts';
import { type AgentReceiverParts, agentReceiver } from './agentReceiver.ts';
import { freshFor } from './freshness.ts';

/** What fetching needs of the service. */
export interface FetchingParts extends AgentReceiverParts {
  /** Milliseconds for finding the host, the connection, the request and the whole answer; 10,000 if left out. */
  timeoutMs?: number;
}

/** How a document is asked for. */
interface Asked {
  /** Of the one that is kept already. */
  etag?: string;
  /** Asks only whether the address answers. */
  head?: boolean;
  signal: AbortSignal;
}

/** What an address answers with. */
export type Fetched =
  | { kind: 'document'; document: object; etag?: string; freshMs: number }
  /** As it was, or not asked for. */
  | { kind: 'unchanged'; freshMs: number }
  | { kind: 'absent' };

const usualMs = 10_000;
/** Longer ones are not kept. */
const longestEtag = 500;

/**
 * Fetches a JSON object from a stranger's address: at addresses that were checked, without following redirects, and not
 * more of it than a card may have.
 * @throws ConcordError with the reason
 */
export async function fetchJson(parts: FetchingParts, url: string, asked: Asked): Promise<Fetched> {
  return withDeadline(parts.timeoutMs ?? usualMs, asked.signal, (timely) => fetched(parts, url, asked, timely));
}

async function fetched(parts: FetchingParts, url: string, asked: Asked, timely: AbortSignal): Promise<Fetched> {
  try {
    const receiver = await orAborted(agentReceiver(parts, url), timely);
    const response = await answerOf(receiver, asked, timely);
    try {
      return await documentOf(response, receiver, asked);
    } finally {
      // Of what isn't read to its end, nothing more is taken.
      response.destroy();
    }
  } catch (error) {
    asked.signal.throwIfAborted();
    if (error instanceof ConcordError) throw error;
    if (timely.aborted) throw unreachable(new URL(url), 'did not answer in time');
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code !== 'string') throw error;
    // Who is told apart refused, broken and foreign connections can look for open ports by them.
    const address = new URL(url);
    parts.onFault?.(address.hostname, code);
    throw unreachable(address, 'cannot be called');
  }
}

/** The parts for several fetches, which together have the time of one. */
export function sharingTime(parts: FetchingParts): () => FetchingParts {
  const end = performance.now() + (parts.timeoutMs ?? usualMs);
  return () => ({ ...parts, timeoutMs: Math.max(1, Math.ceil(end - performance.now())) });
}

function answerOf(receiver: Receiver, { etag, head }: Asked, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = {
    Accept: 'application/json',
    // A body that is packed may be of any length when it isn't any more.
    'Accept-Encoding': 'identity',
    'A2A-Version': '1.0',
    'User-Agent': 'concord',
    ...(etag !== undefined && { 'If-None-Match': etag }),
  };
  return answerTo(pinnedRequest(receiver, { method: head ? 'HEAD' : 'GET', headers, signal }));
}

async function documentOf(response: IncomingMessage, receiver: Receiver, { head }: Asked): Promise<Fetched> {
  const { statusCode: status = 0, headers } = response;
  const freshMs = freshFor(headers);
  if (status === 404 || status === 410) return { kind: 'absent' };
  // There are servers that know GET only, and answer.
  if (head && (status < 300 || status === 304 || status === 405 || status === 501))
    return { kind: 'unchanged', freshMs };
  if (status === 304) return { kind: 'unchanged', freshMs };
  if (status !== 200) {
    const redirects = status >= 300 && status < 400 ? ': redirects are not followed' : '';
    throw unreachable(receiver.url, `answered with HTTP status ${status}${redirects}`, { status });
  }
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    throw invalidCard('The address answered with something else than application/json');
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw invalidCard('The address answered with a body that is packed, which was not asked for');
  }
  const document = parsed(await textOf(response));
  const { etag } = headers;
  return { kind: 'document', document, freshMs, ...(etag && etag.length <= longestEtag && { etag }) };
}

async function textOf(response: IncomingMessage): Promise<string> {
  if (Number(response.headers['content-length'] ?? 0) > longestCard) throw cardTooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > longestCard) throw cardTooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw invalidCard('The address answered with what is no UTF-8');
  }
}

function parsed(text: string): object {
  // What parses JSON may be recursive.
  if (isNestedTooDeeply(text)) throw invalidCard(`The card is nested deeper than ${deepestCard} levels`);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw invalidCard('The address answered with what is no JSON');
  }
  if (!isObject(document)) throw invalidCard('The address answered with JSON that is no object');
  return document;
}

function unreachable({ hostname }: URL, what: string, details: object = {}): ConcordError {
  return refuse('card-unreachable', `${hostname} ${what}`, { ...details });
}
