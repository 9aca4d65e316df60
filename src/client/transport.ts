import { anySignal } from './anySignal.ts';
import { ConcordClientError, TransportError } from './errors.ts';
import type { CallOptions, ClientOptions, HeaderValues } from './options.ts';

/** Its signal is the only one that ends it; a client's own is the business of those who call here. */
export interface HttpRequest extends CallOptions {
  url: URL;
  /** JSON to POST; without it the request is a GET. */
  body?: string;
}

/** An answer under way: its headers are here. */
export interface Exchange {
  response: Response;
  /** What to throw when reading the body failed with `error`. */
  failure(error: unknown): unknown;
  /** Lifts the time limit: from here on it is a stream. */
  untimed(): void;
  /** Cuts off what is unread and lets go of the signals. */
  end(): void;
}

const defaultTimeoutMs = 60_000;

/**
 * Sends one request, once.
 * @throws TransportError where there was no answer within the time; the reason of the signal
 */
export async function send(options: ClientOptions, request: HttpRequest): Promise<Exchange> {
  const { url, body, timeoutMs = options.timeoutMs ?? defaultTimeoutMs } = request;
  const headers = await headersOf(options, request);
  const link = anySignal([request.signal]);
  const { signal } = link;
  const timer = setTimeout(
    () =>
      link.abort(
        new TransportError(`${shown(url)} did not answer within ${timeoutMs} ms`, {
          reason: 'timeout',
          retryable: true,
        }),
      ),
    timeoutMs,
  );
  const untimed = () => clearTimeout(timer);
  const end = () => {
    untimed();
    link.release();
    link.abort(new DOMException('The exchange has ended', 'AbortError'));
  };
  const failure = (error: unknown) => {
    if (signal.aborted) return signal.reason;
    return error instanceof ConcordClientError ? error : unreachable(url, error);
  };
  try {
    const make = options.fetch ?? fetch;
    const method = body === undefined ? 'GET' : 'POST';
    const response = await make(url, { method, headers, body, signal });
    return { response, failure, untimed, end };
  } catch (error) {
    const thrown = failure(error);
    end();
    throw thrown;
  }
}

/** Sends one request, once, and reads its answer to the end; throws as `send` does. */
export async function sendAndRead(
  options: ClientOptions,
  request: HttpRequest,
): Promise<{ status: number; text: string }> {
  const { response, failure, end } = await send(options, request);
  try {
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw failure(error);
  } finally {
    end();
  }
}

/** An address as messages name it: what else is in it may be secret. */
export function shown({ origin, pathname }: URL): string {
  return origin + pathname;
}

async function headersOf(options: ClientOptions, request: HttpRequest): Promise<Headers> {
  const token = typeof options.token === 'function' ? await options.token() : options.token;
  const own = typeof options.headers === 'function' ? await options.headers() : options.headers;
  const all: HeaderValues[] = [
    own ?? {},
    token === undefined ? {} : { Authorization: `Bearer ${token}` },
    request.headers ?? {},
    request.body === undefined ? {} : { 'Content-Type': 'application/json' },
  ];
  try {
    const headers = new Headers();
    for (const values of all) for (const [name, value] of Object.entries(values)) headers.set(name, value);
    return headers;
  } catch {
    // Without the cause, which quotes the value.
    throw new ConcordClientError('The token or a header holds characters that HTTP headers do not carry', {
      reason: 'invalid-header',
      retryable: false,
    });
  }
}

function unreachable(url: URL, cause: unknown): TransportError {
  const { code } = ((cause as Error | undefined)?.cause ?? {}) as { code?: string };
  return new TransportError(
    `The connection to ${shown(url)} failed${code === undefined ? '' : ` (${code})`}`,
    { reason: 'network', retryable: true },
    { cause },
  );
}
