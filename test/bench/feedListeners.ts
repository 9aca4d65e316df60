import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bench } from './bench.ts';
import type { Arrivals, Order } from './listeners.ts';

const stragglersMs = 5_000;
const listenersFile = fileURLToPath(new URL('listeners.ts', import.meta.url));

/** A process that listens as it is told. */
export function forkListeners(bench: Bench): ChildProcess {
  const listeners = fork(listenersFile, { execArgv: ['--import', 'tsx'] });
  bench.opened(async () => listeners.kill());
  return listeners;
}

/** All that has arrived, once there is so much, or nothing more has come for a while. */
export async function collect(listeners: ChildProcess, expected: number): Promise<Arrivals> {
  const all: Arrivals = {};
  let count = 0;
  for (let until = performance.now() + stragglersMs; count < expected && performance.now() < until; ) {
    const more = await asked<Arrivals>(listeners, { do: 'collect' });
    for (const [id, times] of Object.entries(more)) {
      all[id] = [...(all[id] ?? []), ...times];
      count += times.length;
      until = performance.now() + stragglersMs;
    }
    await wait(50);
  }
  return all;
}

export async function asked<Answer>(listeners: ChildProcess, order: Order): Promise<Answer> {
  listeners.send(order);
  const [answer] = await Promise.race([
    once(listeners, 'message'),
    once(listeners, 'exit').then(() => Promise.reject(new Error('The listeners have ended; stderr says why'))),
  ]);
  return answer as Answer;
}

/** What a process has used of a processor; Linux only. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
