import type { Reason } from './reasons.ts';

/**
 * Every error code that Concord answers with. The comments are the documentation that users read.
 * JSON-RPC 2.0 section 5.1; A2A 1.0 section 5.4; A2A Knowledge Graph Collaboration extension 1.0, section 5.
 */
export const ErrorCode = {
  /** The body is not JSON. Nothing was read from it. */
  ParseError: -32700,
  /** The JSON is not a JSON-RPC 2.0 request. */
  InvalidRequest: -32600,
  /** There is no such method; the agent card lists what there is. */
  MethodNotFound: -32601,
  /** The params do not fit the method; `data.issues` lists each fault with its path. Nothing was applied. */
  InvalidParams: -32602,
  /** A fault of Concord's own. `data.traceId` finds it in logs and traces. */
  InternalError: -32603,
  /** There is no such task, or it isn't the caller's. */
  TaskNotFound: -32001,
  /** The task has ended; it can no longer be cancelled. */
  TaskNotCancelable: -32002,
  /** Push notifications are not served here. */
  PushNotificationNotSupported: -32003,
  /** The task, or this service, doesn't do that: a task that has ended takes no further messages. */
  UnsupportedOperation: -32004,
  /** The media type of the body, or of a part in it, is not taken. */
  ContentTypeNotSupported: -32005,
  /** The agent answered what the protocol doesn't know. */
  InvalidAgentResponse: -32006,
  /** There is no extended card. */
  ExtendedAgentCardNotConfigured: -32007,
  /** An extension that the agent requires was not asked for in `A2A-Extensions`. */
  ExtensionSupportRequired: -32008,
  /** `A2A-Version` is neither 1.0 nor 0.3. */
  VersionNotSupported: -32009,
  /** A query failed: syntax, validation, cost or time limit, or the database is unavailable (`data.retryable`). */
  KnowledgeQuery: -32010,
  /** An update was not applied: no permission, a conflict, or the database is unavailable (`data.retryable`). */
  KnowledgeUpdate: -32011,
  /** A subscription could not be established or cannot go on; `data.reason` says why. */
  KnowledgeSubscription: -32012,
  /**
   * The operation violates an alignment directive, or names a class or predicate that the policy closes to the caller;
   * `data.rule` names the rule.
   */
  AlignmentViolation: -32013,
} as const;

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/**
 * What went wrong in words for programs: `reason` is stable, `retryable` says whether the same call may succeed later.
 */
export interface ErrorData {
  reason?: Reason;
  retryable?: boolean;
  [detail: string]: unknown;
}

/** An error that is answered to the caller as it is: its message and data hold nothing that the caller may not see. */
export class ConcordError extends Error {
  readonly code: ErrorCode;
  readonly data: ErrorData;

  constructor(code: ErrorCode, message: string, data: ErrorData = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConcordError';
    this.code = code;
    this.data = data;
  }
}

/** A reason not to start, in one line that says what to do. It is printed without a stack. */
export class StartupError extends Error {
  override name = 'StartupError';
}
