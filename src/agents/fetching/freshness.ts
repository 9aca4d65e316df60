import type { IncomingHttpHeaders } from 'node:http';

/** A card counts as fresh for this long at least, and at most, whatever its address says. */
const shortestMs = 60_000;
const longestMs = 24 * 3_600_000;
/** Where its address says nothing. */
const usualMs = 3_600_000;

/**
 * For how many milliseconds a document is fresh, by `Cache-Control` and `Age`; RFC 9111, section 4.2.
 */
export function freshFor({ 'cache-control': control = '', age = '0' }: IncomingHttpHeaders): number {
  const directives = control
    .toLowerCase()
    .split(',')
    .map((each) => each.trim());
  if (directives.some((each) => each === 'no-store' || each === 'no-cache')) return shortestMs;
  const seconds = directives.map((each) => /^max-age="?(\d{1,10})"?$/.exec(each)?.[1]).find(Boolean);
  if (seconds === undefined) return usualMs;
  const old = /^\d{1,10}$/.test(age) ? Number(age) : 0;
  return Math.min(longestMs, Math.max(shortestMs, (Number(seconds) - old) * 1_000));
}
