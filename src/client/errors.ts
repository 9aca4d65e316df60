import type { Reason } from '../base/reasons.ts';
import type { Violation } from '../wire/types.ts';

/** The `data` of a JSON-RPC error: what went wrong in words for programs. */
export interface ErrorData {
  /** Stable, lower case: one of Concord's, one of the client's own such as `network`, or another service's. */
  reason?: Reason | (string & {});
  /** Whether the same call may succeed later. */
  retryable?: boolean;
  [detail: string]: unknown;
}

/** Why a call failed. Its message and data hold no token and no header. */
export class ConcordClientError extends Error {
  /** JSON-RPC error code, where the service answered with one. */
  readonly code: number | undefined;
  readonly data: ErrorData;

  constructor(message: string, data: ErrorData = {}, code?: number, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.data = data;
  }

  get reason(): ErrorData['reason'] {
    return this.data.reason;
  }

  get retryable(): boolean {
    return this.data.retryable === true;
  }
}

/** The service was not reached, or what answered is not a service of this protocol. */
export class TransportError extends ConcordClientError {
  /** HTTP status, where there was an answer. */
  readonly status: number | undefined;

  constructor(message: string, data: ErrorData & { status?: number }, options?: ErrorOptions) {
    super(message, data, undefined, options);
    this.status = data.status;
  }
}

/** What was fetched is not the card of an agent that the client can call. */
export class AgentCardError extends ConcordClientError {}

/** The agent's card doesn't offer what the call needs. Nothing was sent. */
export class CapabilityError extends ConcordClientError {
  /** The member of the card: `capabilities.streaming`. */
  readonly missing: string;

  constructor(message: string, missing: string) {
    super(message, { reason: 'missing-capability', retryable: false, missing });
    this.missing = missing;
  }
}

/** -32700 */
export class ParseError extends ConcordClientError {}
/** -32600 */
export class InvalidRequestError extends ConcordClientError {}
/** -32601 */
export class MethodNotFoundError extends ConcordClientError {}

/** -32602 */
export class InvalidParamsError extends ConcordClientError {
  /** Each fault with its path, `mutations[3].statement.subject.id`. */
  get issues(): { path: string; message: string }[] {
    return (this.data.issues as { path: string; message: string }[] | undefined) ?? [];
  }
}

/** -32603 */
export class InternalError extends ConcordClientError {}
/** -32001 */
export class TaskNotFoundError extends ConcordClientError {}
/** -32002 */
export class TaskNotCancelableError extends ConcordClientError {}
/** -32003 */
export class PushNotificationNotSupportedError extends ConcordClientError {}
/** -32004 */
export class UnsupportedOperationError extends ConcordClientError {}
/** -32005 */
export class ContentTypeNotSupportedError extends ConcordClientError {}
/** -32006 */
export class InvalidAgentResponseError extends ConcordClientError {}
/** -32007 */
export class ExtendedAgentCardNotConfiguredError extends ConcordClientError {}
/** -32008 */
export class ExtensionSupportRequiredError extends ConcordClientError {}
/** -32009 */
export class VersionNotSupportedError extends ConcordClientError {}
/** -32010 */
export class KnowledgeQueryError extends ConcordClientError {}
/** -32011 */
export class KnowledgeUpdateError extends ConcordClientError {}
/** -32012 */
export class KnowledgeSubscriptionError extends ConcordClientError {}

/** -32013 */
export class AlignmentViolationError extends ConcordClientError {
  /** The rule that forbids the operation. */
  get rule(): string | undefined {
    return this.data.rule as string | undefined;
  }

  get violations(): Violation[] {
    return (this.data.violations as Violation[] | undefined) ?? [];
  }
}

const classes = new Map<number, typeof ConcordClientError>([
  [-32700, ParseError],
  [-32600, InvalidRequestError],
  [-32601, MethodNotFoundError],
  [-32602, InvalidParamsError],
  [-32603, InternalError],
  [-32001, TaskNotFoundError],
  [-32002, TaskNotCancelableError],
  [-32003, PushNotificationNotSupportedError],
  [-32004, UnsupportedOperationError],
  [-32005, ContentTypeNotSupportedError],
  [-32006, InvalidAgentResponseError],
  [-32007, ExtendedAgentCardNotConfiguredError],
  [-32008, ExtensionSupportRequiredError],
  [-32009, VersionNotSupportedError],
  [-32010, KnowledgeQueryError],
  [-32011, KnowledgeUpdateError],
  [-32012, KnowledgeSubscriptionError],
  [-32013, AlignmentViolationError],
]);

/** The error that a JSON-RPC error stands for; of a code that is not known here, the base class. */
export function errorOf({ code, message, data }: { code: number; message: string; data?: unknown }) {
  return new (classes.get(code) ?? ConcordClientError)(message, dataOf(data), code);
}

function dataOf(data: unknown): ErrorData {
  if (data === null || typeof data !== 'object') return {};
  if (!Array.isArray(data)) return data as ErrorData;
  // A2A 1.0, section 9.5: a list of messages of google.rpc, of which one has a reason.
  const reason: unknown = data.find((each) => typeof each?.reason === 'string')?.reason;
  return {
    ...(typeof reason === 'string' && { reason: reason.toLowerCase().replaceAll('_', '-') }),
    details: data,
  };
}

export function isRetryable(error: unknown): boolean {
  return error instanceof ConcordClientError && error.retryable;
}
