import { setTimeout as sleep } from 'node:timers/promises';
import { Balancer, type Probing } from './balancer.ts';
import { Load } from './load.ts';
import { Replica } from './replica.ts';

export interface Plan {
  /** How often both replicas are restarted, one after the other. */
  rounds: number;
  probing: Probing;
  /** Longer than the balancer needs to hear of it. */
  drainDelayMs: number;
}

export interface Summary {
  requests: number;
  failures: string[];
  repeated: number;
  /** Connections that the balancer had no replica for. */
  turnedAway: number;
  updates: number;
  events: number;
  missed: number;
  doubles: number;
  /** From the signal to the end of the process, of each restart. */
  drainSeconds: number[];
  /** From the start of the process until `/readyz` says so. */
  readySeconds: number[];
}

/** How long a double is waited for. */
const quietMs = 1_500;

/**
 * Two replicas behind a balancer are restarted, one after the other, while agents query, update and subscribe.
 * @param neo4j the settings by which they find it
 * @param report told of each step
 */
export async function rollingRestart(
  plan: Plan,
  neo4j: Record<string, string>,
  report: (line: string) => void,
): Promise<Summary> {
  const over = new AbortController();
  const balancer = await Balancer.start();
  const environment = { ...neo4j, PUBLIC_URL: balancer.url, DRAIN_DELAY_MS: String(plan.drainDelayMs) };
  const replicas = await Promise.all([Replica.on(environment), Replica.on(environment)]);
  const load = new Load(balancer.url, `rolling-${Date.now()}`);
  const drainSeconds: number[] = [];
  const readySeconds: number[] = [];
  try {
    await Promise.all(replicas.map((each) => each.start()));
    for (const each of replicas) void balancer.watch(each, plan.probing, over.signal);
    await balancer.until(replicas.length);
    await load.start();
    for (let round = 0; round < plan.rounds; round++) {
      for (const [n, replica] of replicas.entries()) {
        await load.until(10);
        report(`round ${round + 1}: replica ${n + 1} is told to end, after ${load.met.requests} requests`);
        drainSeconds.push(await replica.end());
        await balancer.until(replicas.length - 1);
        readySeconds.push(await replica.start());
        await balancer.until(replicas.length);
      }
    }
    await load.until(10);
    await load.stop();
    const { requests, failures, repeated, written } = load.met;
    await Promise.all(load.readers.map((reader) => reader.until(written)));
    await sleep(quietMs);
    const counts = load.readers.flatMap(({ seen }) => written.map((subject) => seen.get(subject) ?? 0));
    for (const { ending } of load.readers) if (ending) failures.push(`A subscription ended: ${ending}`);
    return {
      requests,
      failures,
      repeated,
      turnedAway: balancer.turnedAway,
      updates: written.length,
      events: counts.reduce((sum, count) => sum + count, 0),
      missed: counts.filter((count) => count === 0).length,
      doubles: counts.filter((count) => count > 1).length,
      drainSeconds,
      readySeconds,
    };
  } finally {
    over.abort();
    await load.stop();
    await Promise.all(load.readers.map((reader) => reader.close()));
    await Promise.all(replicas.map((each) => each.end()));
    await balancer.close();
  }
}

/** What is printed of a run. */
export function summaryLines(summary: Summary): string[] {
  const { requests, failures, repeated, turnedAway, updates, events, missed, doubles } = summary;
  const { drainSeconds, readySeconds } = summary;
  return [
    ...new Set(failures.slice(0, 20)),
    `${requests} requests, ${failures.length} failed; ${repeated} attempts made again by the client, ${turnedAway} connections turned away`,
    `${updates} updates, ${events} events, ${missed} missed, ${doubles} doubles`,
    `drain ${drainSeconds.join(', ')} s; start to ready ${readySeconds.join(', ')} s`,
  ];
}
