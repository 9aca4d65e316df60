import type { Shot, Told } from './shot.ts';

/** What tells of a stack: of V8, or where Concord's files and packages are. */
const stack =
  /\n\s+at \S+|\bat (async )?\S+ \((file:|node:|\/)|node_modules|\.[jt]s:\d+:\d+|\bTypeError\b|Neo\.\w+Error/;
/** INTERNAL and UNKNOWN. */
const grpcFaults = new Set(['2', '13']);

/** What is wrong with an answer, if anything: whatever was sent, it is no fault of the service. */
export function faultOf(shot: Shot, { status, headers, text, hangs, ms }: Told): string | undefined {
  if (hangs) return `no answer within ${Math.round(ms)} ms`;
  if (shot.kind === 'http' && status === undefined) return `closed without an answer: ${text}`;
  if (status !== undefined && status >= 500 && status !== 503) return `status ${status}: ${text.slice(0, 400)}`;
  if (/"code":-32603\b/.test(text)) return `an internal error: ${text.slice(0, 400)}`;
  if (stack.test(text)) return `a stack: ${text.slice(0, 400)}`;
  if (headers.closeCode === 1011) return `a socket closed by a fault of the service: ${text.slice(0, 400)}`;
  const grpcStatus = headers['grpc-status'];
  if (grpcFaults.has(String(grpcStatus))) return `status ${grpcStatus} of gRPC: ${headers['grpc-message']}`;
  return undefined;
}

/** What an answer is counted under. */
export function kindOf({ kind }: Shot, { status, headers }: Told): string {
  const more = headers['grpc-status'] ?? headers.closeCode;
  return `${kind} ${status ?? 'closed'}${more === undefined ? '' : ` ${more}`}`;
}
