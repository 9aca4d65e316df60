import { isDeepStrictEqual } from 'node:util';
import type { Ask, Reader } from './readers.ts';

/**
 * Compares what the servers answer: two that answer differently cannot be compared, and a required certainty that
 * leaves nothing out measures nothing.
 * @returns how many of the answers the required certainty changes
 * @throws Error where Concord and the bare server differ, or no answer depends on the certainty
 */
export async function compareAnswers(asks: Record<Reader, Ask>, count: number): Promise<number> {
  let changed = 0;
  for (let index = 0; index < count; index++) {
    const [bare, concord, certain] = await Promise.all([asks.bare(index), asks.concord(index), asks.certain(index)]);
    const ours = comparable(concord.data);
    if (!isDeepStrictEqual(ours, comparable(bare.data)))
      throw new Error(`Concord and the bare server answer differently: ${JSON.stringify([concord.data, bare.data])}`);
    if (!isDeepStrictEqual(ours, comparable(certain.data))) changed++;
  }
  if (changed === 0) throw new Error('The required certainty leaves nothing out');
  return changed;
}

/**
 * Without what isn't promised: the order of lists, and the last digits of a mean, which follow the order in which Neo4j
 * reads.
 */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) {
    const byText = value.map(comparable).map((each) => [JSON.stringify(each), each] as const);
    return byText.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
  }
  if (typeof value === 'number') return Number(value.toPrecision(9));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, comparable(each)]));
}
