/** What a run of random input is given. */
export interface FuzzRun {
  cases: number;
  /** The same seed makes the same cases. */
  seed: number;
  /** Whether it is a fault to take too long: not in a test, whose machine may be busy. */
  timed: boolean;
  /** Told in words how far it has come. */
  say(line: string): void;
  /** Told what was wrong with one case, and all that repeats it. */
  fault(text: string): void;
}

/** Sends random input to a real Concord. */
export type Fuzz = (run: FuzzRun) => Promise<void>;
