/*
 * Loaded into each replica before Concord: its clock jumps as the soak test says, and it tells what it holds, after a
 * garbage collection.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const { SOAK_CLOCK = '', SOAK_SAMPLES = '', SOAK_EVERY_MS = '5000' } = process.env;
const RealDate = Date;
const now = () => RealDate.now() + ahead;
let ahead = 0;

// As a wall clock does that is set: what counts by performance.now() goes on as before.
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
setInterval(() => {
  ahead = Number(readFileSync(SOAK_CLOCK, 'utf8'));
}, 100).unref();

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  setInterval(() => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    const handles = readdirSync('/proc/self/fd').length;
    const sample = { pid: process.pid, at: process.uptime(), bytes: heapUsed + external, handles };
    appendFileSync(SOAK_SAMPLES, `${JSON.stringify(sample)}\n`);
  }, Number(SOAK_EVERY_MS)).unref();
}
