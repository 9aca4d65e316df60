/** What a suite runs with. */
export interface Bench {
  /** Shortens every window, for a smoke run. */
  quick: boolean;
  /** Measures a graph of a million entities too, where a suite can. */
  large?: boolean;
  /** Told in words how far the suite has come. */
  say(line: string): void;
  /** Takes what is to be closed at the end, however it comes; the last is closed first. */
  opened(close: () => Promise<unknown>): void;
}

/** One measured number. */
export interface Figure {
  group: string;
  name: string;
  /** Where a name has several numbers: which of them this is. */
  column?: string;
  value: number;
  unit: string;
  /** What the number is meant to be, in words; whether it is so is for the reader to see. */
  aim?: string;
}

/** A suite measures and asserts nothing. */
export type Suite = (bench: Bench) => Promise<{ machine: Record<string, string | number>; figures: Figure[] }>;
