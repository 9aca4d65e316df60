import type { ConcordError } from '../../base/errors.ts';
import { ProtocolError } from '../protocol/protocolError.ts';
import type { Id } from './jsonrpc.ts';

/**
 * A response with a result, as JSON text; JSON-RPC 2.0 section 5.
 * @param result a text is JSON already
 */
export function resultText(id: Id, result: object | string): string {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
}

/** A response with an error, as JSON text; JSON-RPC 2.0 section 5.1. */
export function errorText(id: Id, error: ConcordError): string {
  const { code, message } = error;
  const data = error instanceof ProtocolError ? error.details : error.data;
  const empty = data === undefined || Object.keys(data).length === 0;
  return JSON.stringify({ jsonrpc: '2.0', id, error: empty ? { code, message } : { code, message, data } });
}
