import { setImmediate as nextTurn } from 'node:timers/promises';

/** What is given before it is known how long one takes. */
const firstPart = 16;
/** After so long others get a turn. Milliseconds. */
const longestTurnMs = 20;

/**
 * Does a piece of work for all, in order, in parts that take about 20 ms each, between which others get a turn. What is
 * quick is done in few parts.
 * @param work is given one or more, and returns before it is given others
 */
export async function inTurns<T>(all: readonly T[], work: (part: readonly T[]) => void): Promise<void> {
  let size = firstPart;
  for (let from = 0; from < all.length; ) {
    const part = all.slice(from, from + size);
    const begun = performance.now();
    work(part);
    const took = performance.now() - begun;
    from += part.length;
    if (took > longestTurnMs) {
      size = Math.max(1, Math.floor((part.length * longestTurnMs) / took));
      if (from < all.length) await nextTurn();
    } else size *= 2;
  }
}
