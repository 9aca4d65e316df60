import { randomUUID } from 'node:crypto';
import type { Driver } from 'neo4j-driver';
import type { Dictionary } from '../../src/graph/names/dictionary.ts';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';
import type { Bench, Figure } from './bench.ts';
import { call } from './client.ts';
import { worldLike } from './graph.ts';
import { rawWrites, writeRaw } from './rawWrite.ts';
import { median } from './statistics.ts';

/** Statements a second of large updates, beside the same edges written by the driver, turn by turn. */
export async function measureBulk(
  bench: Bench,
  { concord, driver, dictionary }: { concord: string; driver: Driver; dictionary: Dictionary },
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [size, rounds] of bench.quick
    ? ([
        [1_000, 2],
        [10_000, 1],
      ] as const)
    : ([
        [1_000, 11],
        [10_000, 5],
      ] as const)) {
    const rates = { concord: [] as number[], raw: [] as number[] };
    // The first round warms both up and isn't counted; a smoke run goes without.
    for (let round = bench.quick ? 1 : 0; round <= rounds; round++) {
      bench.say(`Updates of ${size} statements: round ${round} of ${rounds}`);
      const patches = worldLike(size, `https://example.org/bench/${randomUUID()}/`);
      // Only the sending is measured: what is sent is ready on both sides.
      const writes = rawWrites(patches, dictionary);
      const turns = {
        concord: async () => {
          const params = { sourceAgentId: 'bench', justification: 'bulk', mutations: patches };
          const { statementsAffected } = await call<UpdateResult>(concord, 'knowledge/update', params);
          if (statementsAffected !== size) throw new Error(`Of ${size} statements ${statementsAffected} were applied`);
        },
        raw: () => writeRaw(driver, writes),
      };
      for (const turn of round % 2 === 0 ? (['concord', 'raw'] as const) : (['raw', 'concord'] as const)) {
        const started = performance.now();
        await turns[turn]();
        if (round > 0) rates[turn].push((1_000 * size) / (performance.now() - started));
      }
    }
    const group = `Update of ${size.toLocaleString('en')} statements`;
    const [ours, raw] = [median(rates.concord), median(rates.raw)];
    figures.push(
      { group, name: 'Concord, median', value: ours, unit: 'statements/s' },
      { group, name: 'driver, UNWIND and MERGE, median', value: raw, unit: 'statements/s' },
      { group, name: 'Concord / driver', value: (100 * ours) / raw, unit: '%', aim: '>= 40 %' },
    );
  }
  return figures;
}
