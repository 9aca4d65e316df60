import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { HiddenWorld } from '../security/confinement/hidden.ts';
import type { Delay } from './worldProcess.ts';

/** The service of `worldProcess.ts`: it tells where it is, and on `delay` how long its event loop has stood still. */
const world = await HiddenWorld.start(JSON.parse(process.argv[2] ?? '{}'));
const histogram = monitorEventLoopDelay({ resolution: 10 });
histogram.enable();
let busy = 0;
let [wall, used] = [performance.now(), process.cpuUsage()];
const timer = setInterval(() => {
  const now = performance.now();
  const { user, system } = process.cpuUsage(used);
  busy = Math.max(busy, Math.min(now - wall, (user + system) / 1_000));
  [wall, used] = [now, process.cpuUsage()];
}, 10);
process.on('message', async (asked) => {
  // What stood still until now is told by the timers that come next.
  await sleep(30);
  if (asked === 'close') {
    clearInterval(timer);
    await world.close();
    process.exit(0);
  }
  const delay: Delay = { longest: histogram.max / 1e6, busy };
  histogram.reset();
  busy = 0;
  process.send?.(delay);
});
// Whoever has started it may end without a word.
process.on('disconnect', () => process.exit(1));
process.send?.({ url: world.url, asOf: world.asOf });
