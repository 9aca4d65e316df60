import type { LogPlace } from '../graph/updates/changeLog.ts';

/** What is asked of a log. */
export interface SeekableLog {
  /** Its first place after this sequence number; undefined where there is none. */
  placeAfter(sequence: number): Promise<LogPlace | undefined>;
  /** The sequence number of its last change. */
  head: number;
}

/**
 * The sequence number after which the changes of a time and later are. It halves the log again and again, so that a
 * million changes take twenty look-ups: times don't fall along it, but behind a clock that was far ahead. There it may
 * find an earlier place, not a later one.
 * @param since milliseconds since 1970
 * @returns it, and whether the log still has all of them; if not, `oldest` is where it begins
 */
export async function seek(
  { placeAfter, head }: SeekableLog,
  since: number,
): Promise<{ after: number; isWhole: boolean; oldest: number }> {
  const first = await placeAfter(0);
  // Of an empty log, nothing is known but its end.
  if (first === undefined) return { after: head, isWhole: head === 0, oldest: head + 1 };
  if (first.at >= since) return { after: first.sequence - 1, isWhole: first.sequence === 1, oldest: first.sequence };
  let [before, from] = [first.sequence, head + 1];
  // `before` is earlier than the time, and `from` is not.
  while (from - before > 1) {
    const middle = before + Math.floor((from - before) / 2);
    const place = await placeAfter(middle - 1);
    if (place && place.at < since) before = place.sequence;
    else from = middle;
  }
  return { after: before, isWhole: true, oldest: first.sequence };
}
