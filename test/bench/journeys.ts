import type { Suite } from './bench.ts';
import { measureBulk } from './bulkUpdate.ts';
import { measureColdStart } from './coldStart.ts';
import { measureEvents } from './eventDelay.ts';
import { patches } from './graph.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { residentMiB } from './memory.ts';
import { openNeo4j } from './neo4j.ts';
import { measureQueries } from './queryRates.ts';
import { worldShapes } from './queryShapes.ts';
import { vocabularyFile } from './servers.ts';
import { startSideBySide } from './sideBySide.ts';
import { measureUpdates } from './updateRate.ts';
import { SingleStatements } from './updates.ts';

/** The three journeys, query, update and subscribe, over the countries of the world; then the start and the memory. */
export const journeys: Suite = async (bench) => {
  const neo4j = await openNeo4j(bench);
  const { server, driver, directory } = neo4j;
  const machine = await describeMachine(driver);
  const sides = await startSideBySide(bench, neo4j, vocabularyFile, patches);
  const { concord, bare, dictionary, loaded } = sides;

  const updates = new SingleStatements(concord.url);
  const figures = [
    loaded,
    ...(await measureQueries(bench, sides, driver, { shapes: worldShapes, clients: [1] })),
    ...(await measureUpdates(bench, updates)),
    ...(await measureEvents(bench, concord.url, updates)),
    ...(await measureBulk(bench, { concord: concord.url, driver, dictionary })),
  ];
  const memory = {
    group: 'Memory of the Concord process, after all this',
    name: 'resident',
    value: await residentMiB(concord.url),
    unit: 'MiB',
  };

  await Promise.all([bare.stop(), concord.stop()]);
  await server.close();
  figures.push(...(await measureColdStart(bench, directory, server.kind === 'embedded')), memory);
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};
