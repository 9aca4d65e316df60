/**
 * How fast statements are sent: neither what an earlier run has sent counts, nor the time in which that is read again.
 */
export class Rate {
  private since: number | undefined;

  /**
   * @param before statements that an earlier run is done with
   * @param now milliseconds
   */
  constructor(
    private readonly before: number,
    private readonly now: () => number,
  ) {}

  /** Something is sent; the first time counts. */
  begin(): void {
    this.since ??= this.now();
  }

  /**
   * Whole statements a second; undefined before the first.
   * @param done statements in all, with those of the earlier run
   */
  of(done: number): number | undefined {
    if (this.since === undefined) return undefined;
    return Math.round((done - this.before) / Math.max((this.now() - this.since) / 1_000, 0.001));
  }
}
