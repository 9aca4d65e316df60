import { type Span, SpanKind } from '@opentelemetry/api';
import { unaudited } from '../../audit/audited.ts';
import { ConcordError, ErrorCode } from '../../base/errors.ts';
import { LimitExceeded } from '../../base/limitExceeded.ts';
import type { Call, Methods } from '../../calls/call.ts';
import { asConcordError } from '../../calls/faults.ts';
import { countRefusal, isRefusal } from '../../calls/refusals.ts';
import { CallerGone } from '../../calls/streamEnd.ts';
import type { Oversight } from '../../limits/oversight.ts';
import type { Instruments } from '../../telemetry/instruments.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { callerAddress, recordFailure, traceId, withRefusalSpan, withSpan } from '../../telemetry/tracing.ts';

/** How a call went: what it gave, or the error to answer. */
type CallOutcome<T> = { ok: true; value: T } | { ok: false; error: ConcordError };

/** What names its method. */
interface Request {
  method: string;
}

export interface Calls {
  /** Runs `work` in the one span of the request: `a2a <method>`; `system` is the transport, if it isn't JSON-RPC. */
  spanned<T>(request: Request, work: (span: Span) => Promise<T>, system?: string): Promise<T>;
  /** Makes the call, inside of its span, and accounts for it: metrics and one log line. It does not throw. */
  made<T>(request: Request, call: Call, span: Span, make: (call: Call) => Promise<T>): Promise<CallOutcome<T>>;
  /** Accounts for a request that came to no call. */
  refused(error: ConcordError): void;
}

/**
 * The accounting around every call of `methods`.
 * @param oversight what every door must tell of its calls, and ask before it makes them
 */
export function createCalls(
  methods: Methods,
  instruments: Instruments,
  logger: Logger,
  { audit = unaudited, rates }: Oversight,
): Calls {
  const label = ({ method }: Request) =>
    methods.unary.has(method) || methods.streaming.has(method) ? method : 'unknown';

  return {
    spanned: (request, work, system = 'jsonrpc') =>
      withSpan(`a2a ${label(request)}`, { 'rpc.system': system, 'rpc.method': label(request) }, work, SpanKind.SERVER),

    async made(request, call, span, make) {
      const start = performance.now();
      const method = label(request);
      const account = (outcome: string, error?: ConcordError) => {
        const ms = performance.now() - start;
        instruments.requests.add(1, { method, outcome });
        instruments.requestDuration.record(ms / 1000, { method, outcome });
        const { tenant, agentId } = call.principal;
        const entry = {
          method,
          outcome,
          ms: Math.round(ms * 10) / 10,
          tenant,
          agent: agentId,
          address: callerAddress(),
        };
        const isFault = error?.code === ErrorCode.InternalError && error.data.reason === undefined;
        const fault = isFault && error.cause;
        const reason = error?.data.reason;
        const isRefused = error !== undefined && isRefusal(error);
        audit({ principal: call.principal, method, outcome, ...(reason && { reason }), isRefusal: isRefused });
        if (error) countRefusal(instruments, error);
        if (error instanceof LimitExceeded) instruments.queriesRefused.add(1, { reason: error.reason });
        if (fault) logger.error({ ...entry, err: fault }, 'call failed');
        else logger.info(error?.data.reason ? { ...entry, reason: error.data.reason } : entry, 'call');
      };
      try {
        call.signal.throwIfAborted();
        await rates?.admitCall(call.principal, method);
        const value = await make({ ...call, traceId: traceId() });
        account('ok');
        return { ok: true, value };
      } catch (thrown) {
        // A method that was told to stop may throw anything; the reason to stop says more.
        const cause = call.signal.aborted && !(thrown instanceof ConcordError) ? call.signal.reason : thrown;
        const error = asConcordError(cause);
        recordFailure(span, cause);
        if (cause instanceof CallerGone) account('cancelled');
        else account(String(error.code), error);
        return { ok: false, error };
      }
    },

    refused(error) {
      countRefusal(instruments, error);
      const { reason } = error.data;
      const method = 'unknown';
      if (isRefusal(error)) audit({ method, outcome: String(error.code), ...(reason && { reason }), isRefusal: true });
      const entry = { method, outcome: String(error.code) };
      instruments.requests.add(1, entry);
      const line = { ...entry, reason, address: callerAddress() };
      withRefusalSpan(error, () => {
        if (error.code === ErrorCode.InternalError && error.cause)
          logger.error({ ...line, err: error.cause }, 'refused');
        // Without the message: that of a parse error quotes the body.
        else logger.info(line, 'refused');
      });
    },
  };
}
