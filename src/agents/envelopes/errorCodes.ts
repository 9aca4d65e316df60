import { type ConcordError, ErrorCode } from '../../base/errors.ts';
import type { Reason } from '../../base/reasons.ts';

/** ONE, "Error Handling". */
export const errorCodes = [
  'agent_not_found',
  'task_rejected',
  'timeout',
  'invalid_message',
  'capability_mismatch',
  'internal_error',
] as const;

export type EnvelopeErrorCode = (typeof errorCodes)[number];

/** The content of a message of type `error`. */
export interface EnvelopeError {
  code: EnvelopeErrorCode;
  message: string;
  /** What Concord says of it everywhere; `reason` is stable. */
  details: Record<string, unknown>;
  retryable: boolean;
}

const ofReasons: Partial<Record<Reason, EnvelopeErrorCode>> = {
  'unknown-agent': 'agent_not_found',
  'capability-mismatch': 'capability_mismatch',
  timeout: 'timeout',
  'delegation-deadline': 'timeout',
  'workflow-deadline': 'timeout',
  'agent-unreachable': 'timeout',
  'agent-lost': 'timeout',
  'database-unavailable': 'internal_error',
  'outcome-unknown': 'internal_error',
  'identities-unavailable': 'internal_error',
  'replica-lost': 'internal_error',
  draining: 'internal_error',
};

const ofCodes: Partial<Record<ErrorCode, EnvelopeErrorCode>> = {
  [ErrorCode.InternalError]: 'internal_error',
  [ErrorCode.ParseError]: 'invalid_message',
  [ErrorCode.InvalidParams]: 'invalid_message',
  [ErrorCode.TaskNotFound]: 'invalid_message',
  [ErrorCode.ContentTypeNotSupported]: 'invalid_message',
};

/** An error as ONE has it: who and what may not, and what isn't taken, is `task_rejected`. */
export function envelopeError({ code, message, data }: Pick<ConcordError, 'code' | 'message' | 'data'>): EnvelopeError {
  const { reason, retryable = false } = data;
  const known = reason === undefined ? undefined : ofReasons[reason];
  const unreadable = code === ErrorCode.InvalidRequest && reason === undefined ? 'invalid_message' : undefined;
  return { code: known ?? ofCodes[code] ?? unreadable ?? 'task_rejected', message, details: { ...data }, retryable };
}
