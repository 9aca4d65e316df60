import { getOrInsert } from '../base/getOrInsert.ts';
import type { Join, Schema } from './schema.ts';

/** Longer ways join nothing that anybody means. */
const longest = 10;

/** One step of a way: a foreign key, walked forwards or backwards. */
interface Step {
  join: Join;
  at: string;
  certainty: number;
  before?: Step;
}

/**
 * How two tables join: the foreign keys of the shortest way, in its order; of several as short ones the surest.
 * @param from, to ids of tables
 * @returns undefined where nothing joins them; nothing in it where both are the same
 */
export function joinPath({ joins }: Pick<Schema, 'joins'>, from: string, to: string): Join[] | undefined {
  if (from === to) return [];
  const at = new Map<string, Join[]>();
  for (const join of joins) for (const end of [join.from, join.to]) getOrInsert(at, end.table, () => []).push(join);
  const reached = new Set([from]);
  let last: Step[] = [];
  for (let length = 1; length <= longest; length++) {
    const next = new Map<string, Step>();
    const ends =
      length === 1 ? [{ at: from, certainty: 1, before: undefined }] : last.map((each) => ({ ...each, before: each }));
    for (const end of ends) {
      for (const join of at.get(end.at) ?? []) {
        const other = join.from.table === end.at ? join.to.table : join.from.table;
        const certainty = end.certainty * join.certainty;
        if (reached.has(other) || certainty <= (next.get(other)?.certainty ?? 0)) continue;
        next.set(other, { join, at: other, certainty, ...(end.before && { before: end.before }) });
      }
    }
    const found = next.get(to);
    if (found) return stepsOf(found);
    if (next.size === 0) return undefined;
    for (const each of next.keys()) reached.add(each);
    last = [...next.values()];
  }
  return undefined;
}

function stepsOf(last: Step): Join[] {
  const steps: Join[] = [];
  for (let step: Step | undefined = last; step; step = step.before) steps.unshift(step.join);
  return steps;
}
