import { phaseOf, wordsOf } from './launch.ts';
import type { Report } from './server.ts';

/** Tells how far a Neo4j is that starts, whenever it has come further. */
export class StartProgress {
  private readonly began = performance.now();
  private told: string | undefined;

  constructor(
    private readonly home: string,
    private readonly report: Report,
  ) {}

  /** Since it was begun: `8.1 s`. */
  get seconds(): string {
    return `${((performance.now() - this.began) / 1_000).toFixed(1)} s`;
  }

  look(): void {
    const phase = phaseOf(wordsOf(this.home));
    if (phase === undefined || phase === this.told) return;
    this.told = phase;
    this.report(`Starting Neo4j: ${phase} (${this.seconds})`);
  }
}
