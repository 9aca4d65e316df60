import type { ConcordError } from '../base/errors.ts';
import { countRefusal, isRefusal } from '../calls/refusals.ts';
import type { Oversight } from '../limits/oversight.ts';
import type { Principal } from '../security/principal.ts';
import type { Instruments } from '../telemetry/instruments.ts';

interface WatchParts {
  oversight: Oversight;
  instruments: Instruments;
}

/** What limits and the audit trail call a subscription of GraphQL, over a socket and as an event stream. */
const method = 'graphql subscription';

/**
 * Counts a subscription as a call of who makes it.
 * @throws ConcordError `rate-limited`, `quota-used`
 */
export async function admitSubscription({ oversight }: WatchParts, principal: Principal): Promise<void> {
  await oversight.rates?.admitCall(principal, method);
}

/**
 * Tells the audit trail of a subscription, and the metrics of one that is refused.
 * @param principal absent where nobody was recognized
 * @param error why it is refused; absent where it stands
 */
export function tellSubscription(
  { oversight, instruments }: WatchParts,
  principal: Principal | undefined,
  error?: ConcordError,
): void {
  if (error) countRefusal(instruments, error);
  const reason = error?.data.reason;
  oversight.audit?.({
    ...(principal && { principal }),
    method,
    outcome: error ? String(error.code) : 'ok',
    ...(reason && { reason }),
    isRefusal: error !== undefined && isRefusal(error),
  });
}
