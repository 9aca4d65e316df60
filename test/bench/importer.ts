import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Patch } from '../../src/knowledge/patch.ts';
import type { Bench } from './bench.ts';
import { root } from './servers.ts';

/** `concord import` in a process of its own, fed through its standard input. */
export interface Importer {
  pid: number;
  /** Settles when the importer has taken them, which is before they are in the graph. */
  feed(patches: Patch[]): Promise<void>;
  /** Ends the input and waits for the end. @throws Error unless everything was applied */
  end(): Promise<void>;
}

export function startImporter(bench: Bench, url: string, batch: number): Importer {
  const command = ['dist/cli/main.js', 'import', '-', '--format', 'jsonl', '--json', '--agent', 'bench'];
  const child = spawn(process.execPath, [...command, '--url', url, '--batch', String(batch)], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const printed = text(child.stdout);
  const ended = once(child, 'exit');
  bench.opened(async () => child.kill('SIGTERM'));
  // Where it ends too early, its exit code tells.
  child.stdin.on('error', () => {});
  const write = async (lines: string) => {
    if (!child.stdin.write(lines)) await Promise.race([once(child.stdin, 'drain'), ended]);
  };
  return {
    pid: child.pid ?? 0,
    async feed(patches) {
      for (let from = 0; from < patches.length; from += 100)
        await write(
          patches
            .slice(from, from + 100)
            .map((patch) => `${JSON.stringify(patch)}\n`)
            .join(''),
        );
    },
    async end() {
      child.stdin.end();
      const [code] = await ended;
      if (code !== 0) throw new Error(`concord import ended with ${code}: ${await printed}`);
    },
  };
}
