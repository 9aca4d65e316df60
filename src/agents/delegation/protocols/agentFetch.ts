import type { IncomingMessage } from 'node:http';
import { context, propagation, SpanKind } from '@opentelemetry/api';
import { orAborted } from '../../../base/orAborted.ts';
import { refuse } from '../../../base/reasons.ts';
import { isNestedTooDeeply } from '../../../calls/nesting.ts';
import { answerTo, pinnedRequest } from '../../../push/pinnedRequest.ts';
import type { Receiver } from '../../../push/receiverAddress.ts';
import { withSpan } from '../../../telemetry/tracing.ts';
import type { AgentCredentials } from '../../../wire/agents.ts';
import { type AgentReceiverParts, agentReceiver } from '../../fetching/agentReceiver.ts';
import type { ClientCertificate } from '../../secrets/clientCertificates.ts';
import { brokenAnswer, unreachable } from './failures.ts';
import { wholeEvents } from './wholeEvents.ts';

export interface AgentFetchParts extends AgentReceiverParts {
  /** What the agent is called with at an address. */
  credentials(url: string): Promise<AgentCredentials | undefined>;
  /** A client certificate by its name. @throws ConcordError `no-certificate` */
  certificate(name: string): Promise<ClientCertificate>;
  /** Milliseconds for finding the host and for an answer; of a stream, until it begins. */
  answerMs: number;
  /** Bytes of an answer, or of one event of a stream. */
  longestAnswer: number;
}

/** Statuses that say that the same request may succeed later, as every 5xx does. */
const passing = new Set([408, 425, 429]);

/**
 * A `fetch` for one agent: to addresses that were checked, with the agent's own credentials, without following
 * redirects, and not more of an answer than is allowed. What an agent answers with is JSON of few levels, or a stream of
 * whole events of such JSON.
 * @returns what rejects with ConcordError: `agent-unreachable`, `agent-refused`, `agent-answer`, or as for a receiver
 */
export function agentFetch(parts: AgentFetchParts): typeof globalThis.fetch {
  return (input, { method = 'GET', headers, body, signal } = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    const given = { method, headers: new Headers(headers), body: typeof body === 'string' ? body : undefined };
    return withSpan(
      'call agent',
      { 'http.request.method': method },
      async (span) => {
        const response = await fetched(parts, url, given, signal ?? undefined);
        span.setAttribute('http.response.status_code', response.status);
        return response;
      },
      SpanKind.CLIENT,
    );
  };
}

interface Given {
  method: string;
  headers: Headers;
  body: string | undefined;
}

async function fetched(
  parts: AgentFetchParts,
  url: string,
  given: Given,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const { hostname } = new URL(url);
  const timer = new AbortController();
  const timeout = setTimeout(() => timer.abort(), parts.answerMs);
  const either = signal ? AbortSignal.any([signal, timer.signal]) : timer.signal;
  try {
    const receiver = await orAborted(agentReceiver(parts, url), either);
    const credentials = await parts.credentials(url);
    const headers = { ...Object.fromEntries(given.headers), ...authorization(credentials) };
    const shown = credentials?.scheme === 'mtls' ? await certificateFor(parts, receiver, credentials) : {};
    const response = await answerOf(receiver, { ...given, headers }, shown, either);
    if (isStream(response)) {
      // From now on it may be silent.
      clearTimeout(timeout);
      const events = wholeEvents(received(response, parts, receiver, signal), parts.longestAnswer);
      return new Response(ReadableStream.from(events), statusOf(response));
    }
    return await wholeAnswer(response, receiver, parts.longestAnswer);
  } catch (error) {
    signal?.throwIfAborted();
    if (timer.signal.aborted) throw unreachable(`${hostname} did not answer in ${parts.answerMs} ms`);
    throw asUnreachable(error, parts, hostname);
  } finally {
    clearTimeout(timeout);
  }
}

async function certificateFor(
  { certificate }: AgentFetchParts,
  { url }: Receiver,
  credentials: AgentCredentials & { scheme: 'mtls' },
): Promise<ClientCertificate> {
  if (url.protocol === 'https:') return certificate(credentials.certificate);
  throw refuse('no-certificate', `${url.hostname} is not called over https, where a client certificate is shown`);
}

function authorization(credentials: AgentCredentials | undefined): Record<string, string> {
  if (!credentials) return {};
  if (credentials.scheme === 'bearer') return { authorization: `Bearer ${credentials.token}` };
  if (credentials.scheme === 'apiKey') return { [(credentials.header ?? 'X-API-Key').toLowerCase()]: credentials.key };
  return {};
}

function answerOf(
  receiver: Receiver,
  { method, headers, body }: { method: string; headers: Record<string, string>; body: string | undefined },
  shown: Partial<ClientCertificate>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const traced: Record<string, string> = {};
  propagation.inject(context.active(), traced);
  const all = {
    ...headers,
    ...traced,
    // A body that is packed may be of any length when it isn't any more.
    'accept-encoding': 'identity',
    'user-agent': 'concord',
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  };
  return answerTo(pinnedRequest(receiver, { method, headers: all, signal, ...shown }), body);
}

const typeOf = ({ headers }: IncomingMessage) => headers['content-type'] ?? '';
const isStream = (response: IncomingMessage) =>
  response.statusCode === 200 && typeOf(response).toLowerCase().startsWith('text/event-stream');
const statusOf = (response: IncomingMessage) => ({
  status: response.statusCode ?? 0,
  headers: { 'content-type': typeOf(response) },
});

async function wholeAnswer(response: IncomingMessage, receiver: Receiver, longest: number): Promise<Response> {
  try {
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) await requireError(response, receiver, longest);
    if ((response.headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw brokenAnswer('it is packed, which was not asked for');
    }
    if (status === 204) return new Response(null, { status });
    return new Response(await textOf(response, longest), statusOf(response));
  } finally {
    // Of what isn't read to its end, nothing more is taken.
    response.destroy();
  }
}

/** Passes on the errors of a protocol, for who speaks that. @throws ConcordError for every other answer */
async function requireError(response: IncomingMessage, { url }: Receiver, longest: number): Promise<void> {
  const { statusCode: status = 0 } = response;
  const what = `${url.hostname} answered with HTTP status ${status}`;
  if (status >= 500 || passing.has(status)) throw unreachable(what, { status });
  const isJson = /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(typeOf(response));
  if (status >= 400 && isJson && status !== 401 && status !== 403) {
    const length = Number(response.headers['content-length'] ?? 0);
    if (length <= longest) return;
  }
  const redirects = status < 400 ? ': redirects are not followed' : '';
  throw refuse('agent-refused', `${what}${redirects}`, { status });
}

async function textOf(response: IncomingMessage, longest: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > longest) throw brokenAnswer(`it is longer than ${longest} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  if (isNestedTooDeeply(text)) throw brokenAnswer('it is nested too deeply');
  return text;
}

async function* received(
  response: IncomingMessage,
  parts: AgentReceiverParts,
  { url }: Receiver,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer, void> {
  try {
    yield* response as AsyncIterable<Buffer>;
  } catch (error) {
    signal?.throwIfAborted();
    throw asUnreachable(error, parts, url.hostname);
  } finally {
    response.destroy();
  }
}

/** What a connection fails with, in the place of it. By its code one could look for open ports. */
function asUnreachable(error: unknown, { onFault }: AgentReceiverParts, hostname: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string') return error;
  onFault?.(hostname, code);
  return unreachable(`${hostname} cannot be called`);
}
