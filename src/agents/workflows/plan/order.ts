import { getOrInsert } from '../../../base/getOrInsert.ts';

/** What comes before what: by id, the ids that come before it. Ids that have no entry are of no account. */
type Before = ReadonlyMap<string, readonly string[]>;

/**
 * The ids in an order in which each comes after all that come before it. Those of circles, and what comes after these,
 * are left out.
 */
export function ordered(before: Before): string[] {
  const after = new Map<string, string[]>();
  const open = new Map<string, number>();
  for (const [id, ids] of before) {
    const known = ids.filter((each) => before.has(each));
    open.set(id, known.length);
    for (const each of known) getOrInsert(after, each, () => []).push(id);
  }
  const order = [...before.keys()].filter((id) => open.get(id) === 0);
  for (const id of order)
    for (const next of after.get(id) ?? []) {
      const left = (open.get(next) ?? 0) - 1;
      open.set(next, left);
      if (left === 0) order.push(next);
    }
  return order;
}

/**
 * Circles, each as its ids from one to the next that comes before it. Of circles that share an id one is told: whoever
 * mends it hears of the next.
 */
export function circles(before: Before): string[][] {
  const left = new Set(before.keys());
  for (const id of ordered(before)) left.delete(id);
  const found: string[][] = [];
  while (left.size > 0) {
    const way: string[] = [];
    let [at] = left;
    while (at !== undefined && left.has(at) && !way.includes(at)) {
      way.push(at);
      at = before.get(at)?.find((each) => left.has(each));
    }
    if (at !== undefined && way.includes(at)) found.push(way.slice(way.indexOf(at)));
    for (const id of way) left.delete(id);
  }
  return found;
}
