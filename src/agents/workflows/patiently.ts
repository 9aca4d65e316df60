import { setTimeout as sleep } from 'node:timers/promises';
import { isAwayOrBusy } from '../../graph/database/away.ts';

const awayMs = 1_000;

/**
 * Does something until Neo4j is neither away nor too busy for it: what is under way goes on meanwhile, and what has
 * become of it stands in the graph.
 * @throws any other error, and the signal's reason
 */
export async function patiently<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!isAwayOrBusy(error)) throw error;
      await sleep(awayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
