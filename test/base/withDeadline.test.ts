import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { withDeadline } from '../../src/base/withDeadline.ts';

/** Never ends by itself. */
const waiting = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

test('work that takes too long is told so, also after a garbage collection', () => {
  const program = `
    const { withDeadline } = await import('./dist/base/withDeadline.js');
    const collecting = setInterval(() => globalThis.gc(), 10);
    const waiting = (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const nested = (signal) => withDeadline(60_000, signal, waiting);
    await withDeadline(200, new AbortController().signal, nested).catch(({ name }) => console.log(name));
    clearInterval(collecting);`;
  const words = ['--expose-gc', '--input-type=module', '-e', program];
  expect(execFileSync(process.execPath, words, { encoding: 'utf8', timeout: 30_000 })).toBe('TimeoutError\n');
});

test('work is told when the other signal aborts, and why', async () => {
  const stop = new AbortController();
  const told = withDeadline(60_000, stop.signal, waiting);
  stop.abort(new Error('enough'));
  await expect(told).rejects.toThrow('enough');
});

test('what the work comes to is returned, and nothing waits for the time', async () => {
  expect(await withDeadline(60_000, new AbortController().signal, async () => 'done')).toBe('done');
});

test('no file of src joins a timeout that Node 20 would forget', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((each) => each.endsWith('.ts'));
  const code = (each: string) => readFileSync(`src/${each}`, 'utf8').replaceAll(/^ *\*.*$/gm, '');
  const joining = files.filter(
    (each) => /AbortSignal\.any\(/.test(code(each)) && /AbortSignal\.timeout\(/.test(code(each)),
  );
  expect(joining).toEqual([]);
});
