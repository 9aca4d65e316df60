import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, Figure } from './bench.ts';
import { subscribeAll } from './client.ts';
import { latencies } from './statistics.ts';
import type { SingleStatements } from './updates.ts';

const pauseMs = 20;
const stragglersMs = 2_000;

/**
 * How long after an update its event is with every subscriber. The commit's time is taken to be that at which its
 * answer arrives at the writer, so an event that overtakes the answer has a delay below zero.
 */
export async function measureEvents(bench: Bench, url: string, updates: SingleStatements): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const subscribers of [1, 50]) {
    bench.say(`Change events, subscribers: ${subscribers}`);
    figures.push(...(await measure(url, updates, subscribers, bench.quick ? 50 : 300)));
  }
  return figures;
}

async function measure(url: string, updates: SingleStatements, subscribers: number, count: number): Promise<Figure[]> {
  const arrivals = new Map<string, number[]>();
  const leave: (() => void)[] = [];
  for (let subscriber = 0; subscriber < subscribers; subscriber++) {
    leave.push(
      await subscribeAll(url, ({ changeMetadata: { updateId } }, at) => {
        const times = arrivals.get(updateId);
        if (times) times.push(at);
        else arrivals.set(updateId, [at]);
      }),
    );
  }
  const sent = new Map<string, { sentAt: number; answeredAt: number }>();
  for (let update = 0; update < count; update++) {
    const sentAt = performance.now();
    const { updateId = '' } = await updates.send();
    sent.set(updateId, { sentAt, answeredAt: performance.now() });
    await wait(pauseMs);
  }
  const missing = () =>
    count * subscribers - [...sent.keys()].reduce((all, id) => all + (arrivals.get(id)?.length ?? 0), 0);
  for (const until = Date.now() + stragglersMs; missing() > 0 && Date.now() < until; ) await wait(pauseMs);
  for (const each of leave) each();

  const since = (from: 'sentAt' | 'answeredAt') =>
    [...sent].flatMap(([id, times]) => (arrivals.get(id) ?? []).map((at) => at - times[from]));
  const group = `Change event over SSE, ${subscribers} ${subscribers === 1 ? 'subscriber' : 'subscribers'}`;
  const delays = since('answeredAt');
  return [
    ...latencies(group, 'after the answer of the update', delays, { p99: '< 100 ms' }),
    ...latencies(group, 'after sending the update', since('sentAt')),
    {
      group,
      name: 'events that overtook the answer',
      value: (100 * delays.filter((delay) => delay < 0).length) / delays.length,
      unit: '%',
    },
    { group, name: 'events missing', value: missing(), unit: '' },
  ];
}
