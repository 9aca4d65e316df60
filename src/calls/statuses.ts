import { type ConcordError, ErrorCode } from '../base/errors.ts';
import { reasons } from '../base/reasons.ts';

/** What an error is over a transport that has statuses: gRPC's are https://grpc.io/docs/guides/status-codes. */
export interface Status {
  http: number;
  grpc: number;
}

const invalidArgument: Status = { http: 400, grpc: 3 };
const internal: Status = { http: 500, grpc: 13 };

/** The status of an error, at every door: that of its reason, else of its code. */
export function statusOf({ code, data: { reason } }: ConcordError): Status {
  const otherwise = code === ErrorCode.InternalError ? internal : invalidArgument;
  const own: Partial<Status> = reason === undefined ? {} : reasons[reason];
  return { http: own.http ?? otherwise.http, grpc: own.grpc ?? otherwise.grpc };
}

/** The header `Retry-After`, in whole seconds, where it may be soon and no error says when. */
export const soon = '1';

/** The header `Retry-After` of an answer, in whole seconds, where its error says when to come again. */
export function retryAfter({ data: { retryAfterMs } }: Pick<ConcordError, 'data'>): string | undefined {
  return typeof retryAfterMs === 'number' ? String(Math.ceil(retryAfterMs / 1_000)) : undefined;
}
