import type { Condition } from './plan.ts';
import { pointedAt } from './pointer.ts';
import type { Results } from './references.ts';

/**
 * Whether all conditions hold. What is not there equals nothing, and is no bound's; numbers are compared with numbers,
 * and texts with texts, by their characters.
 */
export function allHold(conditions: readonly Condition[], results: Results): boolean {
  return conditions.every((each) => holds(each, results));
}

function holds({ $result, pointer, equals, notEquals, atLeast, atMost, exists }: Condition, results: Results): boolean {
  const whole = results.get($result);
  const found = whole === undefined ? undefined : pointedAt(whole, pointer);
  if (exists !== undefined) return (found !== undefined) === exists;
  if (equals !== undefined) return found === equals;
  if (notEquals !== undefined) return found !== notEquals;
  if (atLeast !== undefined) return compared(found, atLeast, (order) => order >= 0);
  return atMost !== undefined && compared(found, atMost, (order) => order <= 0);
}

function compared(found: unknown, bound: number | string, fits: (order: number) => boolean): boolean {
  if (typeof found === 'number' && typeof bound === 'number') return fits(found - bound);
  if (typeof found !== 'string' || typeof bound !== 'string') return false;
  return fits(found < bound ? -1 : found > bound ? 1 : 0);
}
