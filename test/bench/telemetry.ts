import { startCollector } from '../support/collector.ts';
import type { Bench, Figure, Suite } from './bench.ts';
import { post } from './client.ts';
import { cpuSeconds } from './feedListeners.ts';
import { load, patches } from './graph.ts';
import { keepBusy } from './load.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { openNeo4j } from './neo4j.ts';
import { twoHops } from './queryShapes.ts';
import { startConcord, vocabularyFile } from './servers.ts';
import { median } from './statistics.ts';

const sampling = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_METRIC_EXPORT_INTERVAL: '10000' };

/** What one Concord was measured at, window by window. */
interface Measured {
  name: string;
  concord: { url: string; pid: number };
  /** Milliseconds of a processor that a query took. */
  perQuery: number[];
  times: number[];
}

/**
 * What traces and metrics that are sent to a collector cost a query: three replicas on one Neo4j are asked in turns, one
 * that sends nothing, one at 10 % sampling and one that sends every trace. The collector is another process's work.
 */
export const telemetry: Suite = async (bench) => {
  const neo4j = await openNeo4j(bench);
  const machine = await describeMachine(neo4j.driver);
  const collector = await startCollector(() => {});
  bench.opened(() => collector.close());
  const shares: [name: string, settings: Record<string, string>][] = [
    ['nothing is sent', {}],
    ['10 % of the traces', { ...collector.environment, ...sampling, OTEL_TRACES_SAMPLER_ARG: '0.1' }],
    ['every trace', { ...collector.environment, ...sampling, OTEL_TRACES_SAMPLER_ARG: '1' }],
  ];
  const measured: Measured[] = [];
  for (const [name, settings] of shares) {
    const concord = await startConcord(bench, neo4j.server, vocabularyFile, settings);
    measured.push({ name, concord, perQuery: [], times: [] });
  }
  await load(measured[0]?.concord.url ?? '', patches);
  await inTurns(bench, measured);
  const base = median(measured[0]?.perQuery ?? []);
  const figures = measured.flatMap(({ name, perQuery, times }, index): Figure[] => {
    const figure = (what: string, value: number, unit: string, aim?: string): Figure => ({
      ...{ group: 'A query of two hops', name, column: what, value, unit },
      ...(aim !== undefined && { aim }),
    });
    const more = 100 * (median(perQuery) / base - 1);
    return [
      figure('processor', median(perQuery), 'ms'),
      figure('p50', median(times), 'ms'),
      ...(index === 0 ? [] : [figure('more processor', more, '%', index === 1 ? 'under 5' : undefined)]),
    ];
  });
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};

async function inTurns({ quick, say }: Bench, measured: Measured[]): Promise<void> {
  const rounds = quick ? 4 : 16;
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`);
    // Each is the first as often as the others.
    for (let turn = 0; turn < measured.length; turn++) {
      const { concord, perQuery, times } = measured[(round + turn) % measured.length] as Measured;
      const before = await cpuSeconds(concord.pid);
      const window = await keepBusy(() => query(concord.url), 4, quick ? 1_000 : 3_000);
      // In the first the code is still being compiled.
      if (round < 2) continue;
      perQuery.push((1_000 * ((await cpuSeconds(concord.pid)) - before)) / window.times.length);
      times.push(...window.times);
    }
  }
}

async function query(url: string): Promise<void> {
  const params = { query: twoHops.query, variables: twoHops.variables[0], queryLanguage: 'graphql' };
  const answer = (await post(`${url}/a2a`, { jsonrpc: '2.0', id: 1, method: 'knowledge/query', params })) as object;
  if ('error' in answer) throw new Error(JSON.stringify(answer.error));
}
