import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Figure } from './bench.ts';
import { median } from './statistics.ts';

const everyMs = 500;

/** Resident memory of a process while something runs. */
export class MemorySamples {
  private readonly pid: number;
  private readonly samples: number[] = [];
  private readonly timer: NodeJS.Timeout;

  /** Begins at once. */
  constructor(pid: number) {
    this.pid = pid;
    this.timer = setInterval(() => void this.sample(), everyMs).unref();
  }

  /** Ends it. The figures are in MiB. */
  figures(group: string, name: string): Figure[] {
    clearInterval(this.timer);
    const columns = [
      ['min', Math.min(...this.samples)],
      ['median', median(this.samples)],
      ['max', Math.max(...this.samples)],
    ] as const;
    return columns.map(([column, value]) => ({ group, name, column, value, unit: 'MiB' }));
  }

  private async sample(): Promise<void> {
    // A process that has ended has no memory.
    const mib = await residentMiB(this.pid).catch(() => 0);
    if (mib > 0) this.samples.push(mib);
  }
}

/** What the operating system says that a process has in memory. */
async function residentMiB(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1_024;
}
