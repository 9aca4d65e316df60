import { anySignal } from './anySignal.ts';
import { type ConcordClientError, errorOf, TransportError } from './errors.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { defaultRetry, type RetrySettings, retrying } from './retry.ts';
import { type Exchange, send, sendAndRead, shown } from './transport.ts';

/** Statuses, mostly of proxies, that say that the same request may succeed later. */
const passing = new Set([408, 425, 429, 502, 503, 504]);

/** Calls one JSON-RPC 2.0 endpoint. */
export class Rpc {
  readonly agentId: string | undefined;
  /** Ends everything under way. */
  readonly signal: AbortSignal | undefined;
  readonly retry: RetrySettings;
  private readonly url: URL;
  // Truly private: they hold the token, which must not show when a client is printed.
  readonly #options: ClientOptions;

  constructor(url: URL, options: ClientOptions) {
    this.url = url;
    this.#options = options;
    this.agentId = options.agentId;
    this.signal = options.signal;
    this.retry = { ...defaultRetry, ...options.retry };
  }

  /**
   * Calls a method that has one answer.
   * @param repeatable whether it does no harm to make the call again when nobody knows what became of it
   * @throws ConcordClientError, the reason of the signal
   */
  async call<Result>(method: string, params: object, options: CallOptions = {}, repeatable = true): Promise<Result> {
    const link = anySignal([this.signal, options.signal]);
    const body = requestText(method, params);
    const attempt = async () => {
      const request = { ...options, url: this.url, body, signal: link.signal };
      const { status, text } = await sendAndRead(this.#options, request);
      return resultOf<Result>(text, this.url, status);
    };
    try {
      return await retrying(attempt, repeatable ? this.retry : { ...this.retry, attempts: 1 }, link.signal);
    } finally {
      link.release();
    }
  }

  /**
   * Calls a method that answers with a stream, once. The exchange stands when the promise settles; `end` it.
   * @throws ConcordClientError, the reason of the signal
   */
  async stream(method: string, params: object, options: CallOptions): Promise<Exchange> {
    const headers = { ...options.headers, Accept: 'text/event-stream' };
    const request = { ...options, headers, url: this.url, body: requestText(method, params) };
    const exchange = await send(this.#options, request);
    const { response } = exchange;
    if (response.ok && response.headers.get('content-type')?.startsWith('text/event-stream')) {
      exchange.untimed();
      return exchange;
    }
    try {
      resultOf(await response.text(), this.url, response.status);
    } catch (error) {
      throw exchange.failure(error);
    } finally {
      exchange.end();
    }
    throw badAnswer(this.url, response.status);
  }

  /** The result of an event of a stream; throws the error that it may hold instead. */
  resultOfEvent<Result>(data: string): Result {
    return resultOf(data, this.url, 200);
  }
}

export function statusError(url: URL, status: number): TransportError {
  return new TransportError(`${shown(url)} answered with HTTP status ${status}`, {
    reason: 'http-status',
    retryable: passing.has(status),
    status,
  });
}

function requestText(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: crypto.randomUUID(), method, params });
}

/** The result of a JSON-RPC answer; throws the error that it holds instead. */
function resultOf<Result>(text: string, url: URL, status: number): Result {
  const answer = parse(text);
  const error = answer?.error;
  if (Number.isInteger(error?.code)) throw answered(error as { code: number; message?: string });
  if (status >= 200 && status < 300 && answer?.result != null) return answer.result as Result;
  throw status >= 400 ? statusError(url, status) : badAnswer(url, status);
}

function answered(error: { code: number; message?: string; data?: unknown }): ConcordClientError {
  return errorOf({ ...error, message: error.message ?? `Error ${error.code}` });
}

function parse(text: string): { result?: unknown; error?: { code?: unknown } } | null | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function badAnswer(url: URL, status: number): TransportError {
  return new TransportError(`${shown(url)} answered with something other than JSON-RPC 2.0`, {
    reason: 'bad-answer',
    retryable: false,
    status,
  });
}
