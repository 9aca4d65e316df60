import type { Bench, Figure } from './bench.ts';
import { keepBusy } from './load.ts';
import { latencies } from './statistics.ts';
import type { SingleStatements } from './updates.ts';

/** Updates of one statement each, from writers that send the next when the last is answered. */
export async function measureUpdates(bench: Bench, updates: SingleStatements): Promise<Figure[]> {
  const windowMs = bench.quick ? 1_000 : 5_000;
  bench.say('Updates of one statement');
  const send = () => updates.send();
  await keepBusy(send, 8, windowMs / 2);
  const figures: Figure[] = [];
  for (const writers of [1, 8]) {
    const { times, seconds } = await keepBusy(send, writers, windowMs);
    const group = `Update of one statement, ${writers} ${writers === 1 ? 'writer' : 'writers'}`;
    figures.push({ group, name: 'updates a second', value: times.length / seconds, unit: '/s' });
    figures.push(...latencies(group, 'time to the answer', times));
  }
  return figures;
}
