import type { z } from 'zod';
import type { Principal } from '../security/principal.ts';

/** One call of a method: who makes it, when to give up, which trace it belongs to. */
export interface Call {
  principal: Principal;
  /** Aborted when the caller goes away or the service drains. */
  signal: AbortSignal;
  /** W3C trace id, 32 hex digits. */
  traceId?: string;
  /** The SSE `Last-Event-ID` header, on streaming methods. */
  lastEventId?: string;
  /** The service parameters of A2A 1.0 (section 3.2.6), on methods of the protocol itself. */
  serviceParameters?: ServiceParameters;
}

/** What an A2A request says of the protocol, beside its method and params. */
export interface ServiceParameters {
  /** `A2A-Version` as it stands there. */
  version?: string;
  /** The URIs of `A2A-Extensions`. */
  extensions: string[];
}

/** A method with one answer. It parses its own params and throws ConcordError. */
export interface UnaryMethod<Result extends object = object> {
  (params: unknown, call: Call): Promise<Result>;
  /** UTF-8; a longer answer, with what its batch is answered already, is refused. Absent means any length. */
  maxAnswerBytes?: number;
  /** What its params are checked by, for who describes them. */
  params?: z.ZodType;
}

/** One event of a stream; `id` is the cursor to resume after, on streams that can be resumed. */
export interface StreamEvent<Result extends object = object> {
  id?: string;
  result: Result;
}

/** The events of a stream, in order. */
export interface EventStream<Result extends object = object> extends AsyncIterable<StreamEvent<Result>> {
  /** The cursor that the stream starts after, so that a caller that has had no event yet can resume too. */
  cursor?: string;
}

/** A method that answers with a stream. The promise settles when the stream is established or refused. */
export interface StreamingMethod<Result extends object = object> {
  (params: unknown, call: Call): Promise<EventStream<Result>>;
  /** What its params are checked by, for who describes them. */
  params?: z.ZodType;
}

/** The methods that an endpoint serves, by JSON-RPC method name. */
export interface Methods {
  unary: ReadonlyMap<string, UnaryMethod>;
  streaming: ReadonlyMap<string, StreamingMethod>;
}
