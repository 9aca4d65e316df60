import type { Suite } from './bench.ts';
import { patches } from './graph.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { openNeo4j } from './neo4j.ts';
import { measureQueries } from './queryRates.ts';
import { stationShapes, worldShapes } from './queryShapes.ts';
import { startSideBySide } from './sideBySide.ts';
import { stations, writeVocabulary } from './stations.ts';

/** Every kind of query, with one client and with many, over the countries of the world and a class of many entities. */
export const query: Suite = async (bench) => {
  const neo4j = await openNeo4j(bench);
  const machine = await describeMachine(neo4j.driver);
  const vocabulary = await writeVocabulary(neo4j.directory);
  const count = bench.quick ? 2_000 : 10_000;
  const sides = await startSideBySide(bench, neo4j, vocabulary, [...patches, ...stations(count)]);
  const shapes = [...worldShapes, ...stationShapes(count)];
  const figures = await measureQueries(bench, sides, neo4j.driver, { shapes, clients: [1, 32] });
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};
