import type { ConcordError } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';

/**
 * Refuses a place that the log no longer reaches back to.
 * @param place the sequence number, or the time, that was asked for
 * @param oldest the first sequence number that the log still has
 */
export function tooOld(place: number | string, oldest: number): ConcordError {
  return refuse('cursor-too-old', `The change log begins at ${oldest}; changes after ${place} are gone`, { oldest });
}
