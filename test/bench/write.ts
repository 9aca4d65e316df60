import type { Bench, Figure, Suite } from './bench.ts';
import { measureBulk } from './bulkUpdate.ts';
import { patches } from './graph.ts';
import { measureImport } from './importRate.ts';
import { keepBusy } from './load.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { MemorySamples } from './memorySamples.ts';
import { openNeo4j } from './neo4j.ts';
import { vocabularyFile } from './servers.ts';
import { startSideBySide } from './sideBySide.ts';
import { latencies, percentile } from './statistics.ts';
import { UngroupedWriter } from './ungroupedWriter.ts';
import { SingleStatements } from './updates.ts';

const writers = [1, 8, 64, 256];

/**
 * Small updates by many writers, beside one transaction for each by the driver; then large ones, and the import of a
 * large file.
 */
export const write: Suite = async (bench) => {
  const neo4j = await openNeo4j(bench);
  const { driver } = neo4j;
  const machine = await describeMachine(driver);
  const sides = await startSideBySide(bench, neo4j, vocabularyFile, patches);
  await sides.bare.stop();
  const { concord, dictionary } = sides;
  const memory: Figure[] = [];
  const through = async (what: string, measure: () => Promise<Figure[]>): Promise<Figure[]> => {
    const samples = new MemorySamples(concord.pid);
    const figures = await measure();
    memory.push(...samples.figures(`Memory through the ${what}`, 'Concord'));
    return figures;
  };
  const figures = [
    ...(await through('updates of one statement', () =>
      measureSmall(bench, new SingleStatements(concord.url), new UngroupedWriter(driver)),
    )),
    ...(await through('large updates', () => measureBulk(bench, { concord: concord.url, driver, dictionary }))),
  ];
  // The import has the machine to itself, and what else runs has its own.
  await concord.stop();
  await neo4j.server.close();
  figures.push(...(await measureImport(bench)), ...memory);
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};

/** Both take turns, so that neither has the machine's better moments. */
async function measureSmall(bench: Bench, concord: SingleStatements, ungrouped: UngroupedWriter): Promise<Figure[]> {
  const windowMs = bench.quick ? 500 : 2_500;
  const rounds = bench.quick ? 1 : 4;
  bench.say('Warming up');
  await keepBusy(() => concord.send(), 64, 2 * windowMs);
  await keepBusy(() => ungrouped.send(), 8, windowMs);
  const figures: Figure[] = [];
  for (const count of writers) {
    bench.say(`${count} writers`);
    const times: Record<'one' | 'other', number[]> = { one: [], other: [] };
    const rates: Record<'one' | 'other', number[]> = { one: [], other: [] };
    for (let round = 0; round < rounds; round++) {
      const turns = [
        ['one', () => concord.send()],
        ['other', () => ungrouped.send()],
      ] as const;
      for (const [side, send] of round % 2 ? turns.toReversed() : turns) {
        const done = await keepBusy(send, count, windowMs);
        times[side].push(...done.times);
        rates[side].push(done.times.length / done.seconds);
      }
    }
    const group = `Update of one statement, ${count} ${count === 1 ? 'writer' : 'writers'}`;
    const rate = (side: 'one' | 'other') => percentile(rates[side], 0.5);
    figures.push(
      { group, name: 'Concord, updates a second', value: rate('one'), unit: '/s' },
      { group, name: 'driver, one transaction each', value: rate('other'), unit: '/s' },
      {
        group,
        name: 'Concord / driver',
        value: rate('one') / rate('other'),
        unit: 'x',
        ...(count === 64 && { aim: '>= 10 x' }),
      },
      ...latencies(group, 'Concord', times.one),
      ...latencies(group, 'driver', times.other),
    );
  }
  return figures;
}
