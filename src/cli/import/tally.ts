/** What has become of the statements of an import; they are counted as patches. */
export interface Tally {
  /** New to the graph, or known better by it now. */
  applied: number;
  /** Held already. */
  unchanged: number;
  /** Sent by an earlier run, and not applied again. */
  repeated: number;
  /** Refused by the rules. */
  rejected: number;
  /** Held for review by the rules. */
  pending: number;
  /** Would bring back what a purge has erased: refused, or held for review apart from the others. */
  suppressed: number;
}

export function emptyTally(): Tally {
  return { applied: 0, unchanged: 0, repeated: 0, rejected: 0, pending: 0, suppressed: 0 };
}

export function addTally(to: Tally, more: Tally): void {
  for (const key of Object.keys(to) as (keyof Tally)[]) to[key] += more[key];
}

export function countOf(tally: Tally): number {
  return Object.values(tally).reduce((sum, count) => sum + count, 0);
}
