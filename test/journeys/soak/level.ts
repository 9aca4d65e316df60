/** What a replica held at a time. */
export interface Sample {
  pid: number;
  /** Seconds since its start. */
  at: number;
  /** Of the heap and of buffers, after a garbage collection. */
  bytes: number;
  /** Open files and sockets. */
  handles: number;
}

/** What a line through points comes to. */
export interface Fit {
  mean: number;
  /** How much it rises from the first point to the last. */
  rise: number;
  /** Standard deviation of the points from it. */
  noise: number;
}

/** The line of least squares through points (x, y). */
export function fitOf(points: readonly (readonly [number, number])[]): Fit {
  const meanOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const xs = points.map(([x]) => x);
  const [x0, mean] = [meanOf(xs), meanOf(points.map(([, y]) => y))];
  const spread = meanOf(xs.map((x) => (x - x0) ** 2));
  const slope = spread === 0 ? 0 : meanOf(points.map(([x, y]) => (x - x0) * (y - mean))) / spread;
  const noise = Math.sqrt(meanOf(points.map(([x, y]) => (y - mean - slope * (x - x0)) ** 2)));
  return { mean, rise: slope * (Math.max(...xs) - Math.min(...xs)), noise };
}

/** Code is compiled and caches fill in a replica's first minutes. */
const warmSeconds = 90;
/** Fewer say nothing of a trend. */
const fewest = 20;
/** Of the mean: what caches may still grow by in a run. */
const share = 0.1;

/** What a replica's life says of whether what it holds is level, in a line, and what is wrong with that. */
export function levelOf(samples: Sample[]): { line: string; faults: string[] } {
  const warm = samples.filter(({ at }) => at > warmSeconds);
  const judged = warm.length >= fewest;
  const kinds = [
    ['memory in MB', ({ bytes }: Sample) => bytes / 2 ** 20],
    ['handles', ({ handles }: Sample) => handles],
  ] as const;
  const told = kinds.map(([what, amountOf]) => {
    const fit = fitOf((judged ? warm : samples).map((each) => [each.at, amountOf(each)] as const));
    return { what, ...fit, isRising: judged && fit.rise > Math.max(3 * fit.noise, share * fit.mean) };
  });
  const text = ({ what, mean, rise, noise }: Fit & { what: string }) =>
    `${what} ${mean.toFixed(1)}, rises by ${rise.toFixed(1)}, noise ${noise.toFixed(1)}`;
  const seconds = Math.round((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0));
  return {
    line: `${told.map(text).join('; ')}; in ${seconds} s${judged ? '' : ', too few to be judged'}`,
    faults: told.filter(({ isRising }) => isRising).map((each) => `not level: ${text(each)}`),
  };
}
