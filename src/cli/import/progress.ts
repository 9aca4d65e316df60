import { Presets, SingleBar } from 'cli-progress';
import type { Io } from '../terminal/io.ts';
import type { Source } from './source.ts';

export interface ProgressDisplay {
  /**
   * So many statements are in the graph, or known not to enter it.
   * @param perSecond of those that this run has sent; undefined before the first
   */
  reached(statements: number, perSecond: number | undefined): void;
  done(): void;
}

const everyMs = 10_000;

/** A bar on a terminal, where the size is known; else a line now and then. */
export function displayProgress(source: Source, { say }: Io, stream: NodeJS.WriteStream): ProgressDisplay {
  const shown = (perSecond: number | undefined) => perSecond?.toLocaleString('en-US') ?? '-';
  if (stream.isTTY && source.size !== undefined) {
    const format = '{bar} {percentage} % | {statements} statements | {rate}/s | {eta_formatted} to go';
    const bar = new SingleBar({ format, stream, hideCursor: false }, Presets.shades_classic);
    bar.start(source.size, 0, { statements: '0', rate: '-' });
    return {
      reached: (statements, perSecond) =>
        bar.update(source.read(), {
          statements: statements.toLocaleString('en-US'),
          rate: shown(perSecond),
        }),
      done: () => bar.stop(),
    };
  }
  let last = performance.now();
  return {
    reached(statements, perSecond) {
      if (performance.now() - last < everyMs) return;
      last = performance.now();
      const part = source.size ? `, ${Math.floor((100 * source.read()) / source.size)} % of the file read` : '';
      say(`${statements.toLocaleString('en-US')} statements${part}, ${shown(perSecond)}/s`);
    },
    done() {},
  };
}
