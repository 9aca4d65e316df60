import { SingleBar } from 'cli-progress';
import { counted, type Screen } from './screen.ts';

/** Shows how far a long step has come. */
export interface Progress {
  reached(count: number): void;
  done(): void;
}

/** A bar on a terminal; elsewhere a plain line for each quarter. */
export function progressOn(screen: Screen, total: number): Progress {
  return screen.isTerminal ? bar(screen, total) : lines(screen, total);
}

function bar(screen: Screen, total: number): Progress {
  const progress = new SingleBar({
    stream: screen.output,
    format: '   {bar} {value} of {total} statements',
    formatValue: (value, _options, type) => (type === 'value' || type === 'total' ? counted(value) : String(value)),
    barCompleteChar: '█',
    barIncompleteChar: '░',
    clearOnComplete: true,
    hideCursor: true,
  });
  progress.start(total, 0);
  return { reached: (count) => progress.update(count), done: () => progress.stop() };
}

function lines(screen: Screen, total: number): Progress {
  let told = 0;
  return {
    reached: (count) => {
      const quarters = Math.floor((4 * count) / total);
      if (quarters > told) screen.line(`${counted(count)} of ${counted(total)} statements`);
      told = Math.max(told, quarters);
    },
    done: () => {},
  };
}
