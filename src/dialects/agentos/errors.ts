import type { Id } from '../../a2a/jsonrpc/jsonrpc.ts';
import { ProtocolError } from '../../a2a/protocol/protocolError.ts';
import { type ConcordError, ErrorCode } from '../../base/errors.ts';

/** An error as AgentOS has it. */
export interface AgentError {
  code: number;
  message: string;
  data: { details: string; [member: string]: unknown };
}

/**
 * AgentOS 0.3.0, section 3: what is wrong with a request, its params included, is -32600 and `Invalid Request`, and
 * `data.details` says it in words. Beside it stands what Concord tells everywhere.
 */
export function agentError(error: ConcordError): AgentError {
  const isInvalid = error.code === ErrorCode.InvalidParams || error.code === ErrorCode.InvalidRequest;
  const data = error instanceof ProtocolError ? {} : error.data;
  return {
    code: isInvalid ? ErrorCode.InvalidRequest : error.code,
    message: isInvalid ? 'Invalid Request' : error.message,
    data: { ...data, details: detailsOf(error) },
  };
}

/** A response with an error, as JSON text. */
export function agentErrorText(id: Id, error: ConcordError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: agentError(error) });
}

function detailsOf({ message, data }: ConcordError): string {
  const [first] = Array.isArray(data.issues) ? (data.issues as { path: string; message: string }[]) : [];
  return first?.message.endsWith('received undefined') ? `Missing required field '${first.path}'` : message;
}
