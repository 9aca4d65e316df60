/** What became of one mutant. */
export interface Outcome {
  module: string;
  kind: 'killed' | 'survived' | 'timed out';
  /** Where and what, in a line. */
  what: string;
}

/** Percent that must be noticed. */
export const usualThreshold = 85;
const thresholds: Record<string, number> = { qualify: 90, ledger: 90, leases: 90, commit: 90 };

interface Score {
  module: string;
  killed: number;
  survived: number;
  /** Kept the tests from ending in their time: on a machine with much other work it may be the machine. */
  timedOut: number;
  /** Percent. */
  score: number;
  threshold: number;
}

/** By module, in the order of their names. A mutant that keeps a test from ending was noticed. */
export function scoresOf(outcomes: Outcome[]): Score[] {
  const names = [...new Set(outcomes.map(({ module }) => module))].sort();
  return names.map((module) => {
    const own = outcomes.filter((each) => each.module === module);
    const count = (kind: Outcome['kind']) => own.filter((each) => each.kind === kind).length;
    const survived = count('survived');
    return {
      module,
      killed: count('killed'),
      survived,
      timedOut: count('timed out'),
      score: (100 * (own.length - survived)) / own.length,
      // A part has that of its whole.
      threshold: thresholds[module.replace(/\/.*/, '')] ?? usualThreshold,
    };
  });
}

export const isEnough = ({ score, threshold }: Score) => score >= threshold;

/** The table, and each survivor in a line. */
export function report(outcomes: Outcome[]): string {
  const row = (...cells: string[]) =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(18) : cell.padStart(11))).join('');
  const lines = scoresOf(outcomes).map((score) =>
    row(
      score.module,
      `${score.killed}`,
      `${score.survived}`,
      `${score.timedOut}`,
      `${score.score.toFixed(1)} %`,
      isEnough(score) ? '' : `  below ${score.threshold} %`,
    ).trimEnd(),
  );
  const survivors = outcomes
    .filter(({ kind }) => kind === 'survived')
    .map(({ module, what }) => `survived: ${module}: ${what}`);
  return [row('module', 'killed', 'survived', 'timed out', 'score'), ...lines, ...survivors].join('\n');
}
