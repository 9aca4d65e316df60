import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, Figure, Suite } from './bench.ts';
import { post } from './client.ts';
import { asked, collect, cpuSeconds, forkListeners } from './feedListeners.ts';
import { Writer, write } from './feedWriter.ts';
import { load, patches } from './graph.ts';
import type { Ended, Opened } from './listeners.ts';
import { keepBusy } from './load.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { residentMiB } from './memory.ts';
import { type EmptyNeo4j, openNeo4j } from './neo4j.ts';
import { twoHops } from './queryShapes.ts';
import { startConcord, vocabularyFile } from './servers.ts';
import { latencies } from './statistics.ts';

const most = '100000';
const settings = {
  STREAM_MAX_CONCURRENT: most,
  STREAM_MAX_OPEN: most,
  SUBSCRIPTION_MAX_CONCURRENT: most,
  SUBSCRIPTION_MAX_OPEN: most,
  TASK_MAX_CONCURRENT: most,
  TASK_MAX_RUNNING: most,
  QUERY_MAX_CONCURRENT: '1000',
};
const settlingMs = 10_000;
const idleMs = 10_000;
const everyMs = 100;
/** How many tasks report an update. */
const matching = 10;

/**
 * What streams of tasks cost: none, 1,000 and 10,000 tasks of the skill `watch`, each followed by the stream that began
 * it. Each count has a Concord of its own, which is told to stop while they are open.
 */
export const streams: Suite = async (bench) => {
  const neo4j = await openNeo4j(bench);
  const machine = await describeMachine(neo4j.driver);
  const figures: Figure[] = [];
  for (const count of bench.quick ? [0, 200] : [0, 1_000, 10_000])
    figures.push(...(await measure(bench, neo4j, count)));
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};

async function measure(bench: Bench, { server, driver }: EmptyNeo4j, count: number): Promise<Figure[]> {
  bench.say(`${count} streams of tasks`);
  const concord = await startConcord(bench, server, vocabularyFile, settings);
  const { url, pid } = concord;
  await load(url, patches);
  await keepBusy(() => query(url), 8, bench.quick ? 1_000 : 5_000);
  const idleMiB = await settledMiB(url);
  const group = `${count.toLocaleString('en')} streams of tasks`;
  const figure = (name: string, value: number, unit: string): Figure => ({ group, name, value, unit });
  const listeners = forkListeners(bench);
  const subjects = Math.max(1, count / matching);
  const { ms } = await asked<Opened>(listeners, { do: 'open', url, count, subjects, by: 'task' });
  bench.say(`They stand after ${(ms / 1_000).toFixed(1)} s`);
  const openMiB = await settledMiB(url);
  const cpu = await idleCpu(pid);
  const writer = new Writer(url, count);
  writer.subjects = subjects;
  const sent = await write(writer, { updates: bench.quick ? 10 : 100, everyMs });
  const expected = count === 0 ? 0 : sent.size * matching;
  const arrivals = await collect(listeners, expected);
  const delays = [...sent].flatMap(([id, at]) => (arrivals[id] ?? []).map((each) => each - at));
  const { times } = await keepBusy(() => query(url), 1, bench.quick ? 1_000 : 4_000);
  const stopping = performance.now();
  const [ended] = await Promise.all([asked<Ended>(listeners, { do: 'end' }), concord.stop()]);
  const stopMs = performance.now() - stopping;
  listeners.kill();
  await once(listeners, 'exit');
  const { records } = await driver.executeQuery(
    'MATCH (t:Task) RETURN t.state AS state, count(*) AS n ORDER BY n DESC',
  );
  bench.say(`Tasks by state: ${records.map((each) => `${each.get('state')} ${each.get('n')}`).join(', ')}`);
  return [
    figure('resident memory before they are opened', idleMiB, 'MiB'),
    figure('resident memory with them', openMiB, 'MiB'),
    figure('until all stand', ms / 1_000, 's'),
    figure("Concord's processor while nothing happens", 100 * cpu, '%'),
    ...(count === 0 ? [] : latencies(group, 'from the commit to the event', delays)),
    figure('events missing', expected - delays.length, ''),
    ...latencies(group, 'a query beside them', times),
    figure('from SIGTERM to the end', stopMs / 1_000, 's'),
    figure('streams that were cut off by it', ended.cut, ''),
  ];
}

async function query(url: string): Promise<void> {
  const { errors } = (await post(`${url}/graphql`, { query: twoHops.query, variables: twoHops.variables[0] })) as {
    errors?: object[];
  };
  if (errors) throw new Error(JSON.stringify(errors));
}

/** The least of some looks: what is garbage comes and goes. */
async function settledMiB(url: string): Promise<number> {
  const looks: number[] = [];
  for (const until = performance.now() + settlingMs; performance.now() < until; await sleep(500))
    looks.push(await residentMiB(url));
  return Math.min(...looks);
}

/** The share of one processor that a process takes. */
async function idleCpu(pid: number): Promise<number> {
  const [before, started] = [await cpuSeconds(pid), performance.now()];
  await sleep(idleMs);
  return (1_000 * ((await cpuSeconds(pid)) - before)) / (performance.now() - started);
}
