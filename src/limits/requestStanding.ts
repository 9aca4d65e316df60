import { context, createContextKey } from '@opentelemetry/api';
import type { Standing } from './windows.ts';

const key = createContextKey('concord.standing');

/** Where the caller of a request stands, as far as that is known. */
export interface Noted {
  /** With the limit that is nearest. */
  nearest?: Standing;
  /** Milliseconds after which to come again, where the work of a request was refused whose answer is no error. */
  retryAfterMs?: number;
}

/** Runs the work of a request, which notes where its caller stands. */
export function notingStanding(noted: Noted, work: () => void): void {
  context.with(context.active().setValue(key, noted), work);
}

/** Notes where the caller of the request under way stands, which its answer tells. */
export function noteStanding(standing: Standing): void {
  const noted = context.active().getValue(key) as Noted | undefined;
  if (noted && (noted.nearest === undefined || shareOf(standing) <= shareOf(noted.nearest))) noted.nearest = standing;
}

/** Notes when to come again, which the answer of the request under way tells if it isn't sent yet. */
export function noteRetry(milliseconds: number): void {
  const noted = context.active().getValue(key) as Noted | undefined;
  if (noted) noted.retryAfterMs = milliseconds;
}

const shareOf = ({ remaining, limit, isExceeded }: Standing) => (isExceeded ? -1 : remaining / limit);

/** The headers `RateLimit-Policy` and `RateLimit`; draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4. */
export function rateLimitHeaders({ policy, limit, window, remaining, resetMs }: Standing): [string, string][] {
  return [
    ['RateLimit-Policy', `"${policy}";q=${limit};w=${window}`],
    ['RateLimit', `"${policy}";r=${remaining};t=${Math.ceil(resetMs / 1_000)}`],
  ];
}
