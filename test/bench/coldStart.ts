import type { Bench, Figure } from './bench.ts';
import { startWholeConcord } from './servers.ts';
import { median } from './statistics.ts';

/**
 * The time from starting Concord with its embedded Neo4j until it says that it is ready, on a data directory that has
 * the jars and was used before.
 * @param isUsed whether a Neo4j has already run on the directory
 */
export async function measureColdStart(bench: Bench, directory: string, isUsed: boolean): Promise<Figure[]> {
  const rounds = bench.quick ? 1 : 3;
  const times: number[] = [];
  // In a new directory the first start fetches the jars and creates the database; it isn't counted.
  for (let round = isUsed ? 1 : 0; round <= rounds; round++) {
    const server = await startWholeConcord(bench, directory);
    await server.stop();
    if (round > 0) times.push(server.readyMs / 1_000);
    bench.say(`Cold start ${round} of ${rounds}: ${(server.readyMs / 1_000).toFixed(1)} s`);
  }
  const figure = { group: 'Cold start, with embedded Neo4j', unit: 's' };
  return [
    { ...figure, name: 'until /readyz answers 200, median', value: median(times), aim: '<= 15 s' },
    { ...figure, name: 'slowest', value: Math.max(...times) },
  ];
}
