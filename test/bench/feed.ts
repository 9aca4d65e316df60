import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Bench, Figure, Suite } from './bench.ts';
import { asked, collect, cpuSeconds, forkListeners } from './feedListeners.ts';
import { Writer, write } from './feedWriter.ts';
import type { Opened } from './listeners.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { residentMiB } from './memory.ts';
import { openNeo4j } from './neo4j.ts';
import { type ChildServer, startConcord, vocabularyFile } from './servers.ts';
import { latencies } from './statistics.ts';

/**
 * What subscribers by SSE cost, who are a process of their own: 1, 1,000 and 10,000, of whom one, ten or all ask for
 * what is written. A commit's time is taken to be that at which its answer arrives at the writer.
 */
export const feed: Suite = async (bench) => {
  const { server, driver } = await openNeo4j(bench);
  const machine = await describeMachine(driver);
  const most = { SUBSCRIPTION_MAX_CONCURRENT: '100000', SUBSCRIPTION_MAX_OPEN: '100000' };
  const concord = await startConcord(bench, server, vocabularyFile, most);
  const writer = new Writer(concord.url);
  await write(writer, { updates: bench.quick ? 50 : 500, everyMs: 0 });
  const alone = await rate(bench, writer);
  const figures: Figure[] = [{ group: 'No subscriber', name: 'updates a second', value: alone, unit: '/s' }];
  figures.push(...(await across(bench, await startConcord(bench, server, vocabularyFile, most), writer)));
  for (const count of bench.quick ? [1, 200] : [1, 1_000, 10_000]) {
    for (const matching of [1, 10, count].filter((each, index, all) => each <= count && all.indexOf(each) === index)) {
      figures.push(...(await measure(bench, concord, writer, { count, matching, alone })));
    }
  }
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};

interface Listeners {
  count: number;
  /** How many of them ask for an update. */
  matching: number;
  /** Updates a second with no subscriber. */
  alone: number;
}

/** What another replica writes, at the default pace of its poll. */
async function across(bench: Bench, { url }: ChildServer, writer: Writer): Promise<Figure[]> {
  bench.say('10 subscribers at another replica');
  const listeners = forkListeners(bench);
  await asked<Opened>(listeners, { do: 'open', url, count: 10, subjects: 0 });
  const sent = await write(writer, { updates: bench.quick ? 50 : 300, everyMs: 37 });
  const arrivals = await collect(listeners, 10 * sent.size);
  listeners.kill();
  await once(listeners, 'exit');
  const delays = [...sent].flatMap(([id, at]) => (arrivals[id] ?? []).map((each) => each - at));
  const group = '10 subscribers at another replica, which polls every 100 ms';
  return [
    ...latencies(group, 'from the commit to the event', delays, { p99: '< 120 ms' }),
    { group, name: 'events missing', value: 10 * sent.size - delays.length, unit: '' },
  ];
}

async function measure(
  bench: Bench,
  { url, pid }: ChildServer,
  writer: Writer,
  { count, matching, alone }: Listeners,
): Promise<Figure[]> {
  bench.say(`${count} subscribers, of whom ${matching} ask for each update`);
  const idleMiB = await residentMiB(url);
  const listeners = forkListeners(bench);
  const subjects = matching === count ? 0 : count / matching;
  const { ms } = await asked<Opened>(listeners, { do: 'open', url, count, subjects });
  const openMiB = await residentMiB(url);
  writer.subjects = subjects;
  // An update that all of 10,000 ask for is 10,000 deliveries.
  const everyMs = matching > 1_000 ? 1_000 : 20;
  const updates = Math.ceil((bench.quick ? 1_000 : 10_000) / everyMs);
  const [cpuBefore, started] = [await cpuSeconds(pid), performance.now()];
  const sent = await write(writer, { updates, everyMs });
  const arrivals = await collect(listeners, updates * matching);
  const seconds = (performance.now() - started) / 1_000;
  const cpu = (await cpuSeconds(pid)) - cpuBefore;
  const delays = [...sent].flatMap(([id, at]) => (arrivals[id] ?? []).map((each) => each - at));
  const together = await burst(bench, writer, listeners, matching);
  const busy = await rate(bench, writer);
  listeners.kill();
  await once(listeners, 'exit');
  const group = `${count.toLocaleString('en')} subscribers, ${matching === count ? 'all' : matching} of whom ask for an update`;
  const figure = (name: string, value: number, unit: string, aim?: string): Figure => ({
    ...{ group, name, value, unit },
    ...(aim !== undefined && { aim }),
  });
  return [
    ...latencies(
      group,
      'from the commit to the event',
      delays,
      count === 10_000 && matching < count ? { p99: '< 250 ms' } : {},
    ),
    figure('events missing', updates * matching - delays.length, ''),
    figure('events delivered a second', delays.length / seconds, '/s'),
    figure(
      'events delivered a second, of updates without a pause',
      together,
      '/s',
      matching === 10_000 ? '> 100,000 /s' : undefined,
    ),
    figure("Concord's processor time", (1e6 * cpu) / delays.length, 'µs an event'),
    figure('until all stand', ms, 'ms'),
    figure(
      'memory above that of the idle service',
      openMiB - idleMiB,
      'MiB',
      count === 10_000 ? '< 600 MiB' : undefined,
    ),
    figure('updates a second beside those with no subscriber', busy / alone, '×', '> 0.9 ×'),
  ];
}

/** Events a second that are delivered of updates that follow one another at once, from the first answer to the last event. */
async function burst(bench: Bench, writer: Writer, listeners: ChildProcess, matching: number): Promise<number> {
  const updates = Math.min(200, Math.max(10, (bench.quick ? 20_000 : 200_000) / matching));
  const sent = await write(writer, { updates, everyMs: 0 });
  const arrivals = await collect(listeners, sent.size * matching);
  const times = [...sent.keys()].flatMap((id) => arrivals[id] ?? []);
  const last = times.reduce((latest, each) => Math.max(latest, each), 0);
  return (1_000 * times.length) / (last - Math.min(...sent.values()));
}

/** Updates a second of one writer. */
async function rate(bench: Bench, writer: Writer): Promise<number> {
  const ends = performance.now() + (bench.quick ? 500 : 4_000);
  const started = performance.now();
  let count = 0;
  for (; performance.now() < ends; count++) await writer.send();
  return (1_000 * count) / (performance.now() - started);
}
