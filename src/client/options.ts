import type { RetrySettings } from './retry.ts';

/** By header name. */
export type HeaderValues = Record<string, string>;
/** A function is asked before every request: `() => ({ traceparent: current() })`. */
export type HeaderSource = HeaderValues | (() => HeaderValues | Promise<HeaderValues>);

/** How a client calls. */
export interface ClientOptions {
  /** Who speaks: the `sourceAgentId` of updates and the `reviewerId` of reviews. */
  agentId?: string;
  /** Sent as `Authorization: Bearer …`; a function is asked before every request, so that a token can be renewed. */
  token?: string | (() => string | Promise<string>);
  headers?: HeaderSource;
  /** Milliseconds that one attempt may take until its answer is read, or a stream has begun; 60,000 if left out. */
  timeoutMs?: number;
  /** Ends everything that the client has under way. */
  signal?: AbortSignal;
  fetch?: typeof fetch;
  /** How calls that may be repeated are; what is left out is as in `defaultRetry`. */
  retry?: Partial<RetrySettings>;
}

/** What one call does otherwise than its client. */
export interface CallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Over the client's own: `{ traceparent }`. */
  headers?: HeaderValues;
}
