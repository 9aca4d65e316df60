import type { Figure } from './bench.ts';

/**
 * The value below which this share of the values lies (nearest rank); NaN of none.
 * @param share 0..1
 */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values: number[]): number {
  return percentile(values, 0.5);
}

/** The p50 and p99 of durations in milliseconds, as two figures. */
export function latencies(group: string, name: string, values: number[], aims: { p50?: string; p99?: string } = {}) {
  const figure = (share: number, label: 'p50' | 'p99'): Figure => ({
    group,
    name: `${name} ${label}`,
    value: percentile(values, share),
    unit: 'ms',
    ...(aims[label] !== undefined && { aim: aims[label] }),
  });
  return [figure(0.5, 'p50'), figure(0.99, 'p99')];
}
