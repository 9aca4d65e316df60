/** What a piece of work touches, to tell whether another may run beside it. */
interface Ordered<Self> {
  needsOrderWith(other: Self): boolean;
}

/** Runs pieces of work beside each other, so many at a time; those that need an order wait for those before them. */
export class InOrder<Piece extends Ordered<Piece>> {
  private readonly underWay = new Map<Piece, Promise<void>>();
  private failure: { error: unknown } | undefined;

  constructor(private readonly most: number) {}

  /**
   * Begins a piece as soon as it may.
   * @throws what an earlier one has failed by, when what is under way has ended
   */
  async begin(piece: Piece, work: () => Promise<void>): Promise<void> {
    while (!this.failure && this.mustWait(piece)) await Promise.race(this.underWay.values());
    if (this.failure) return this.finish();
    const done = work()
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => this.underWay.delete(piece));
    this.underWay.set(piece, done);
  }

  /** Waits for what is under way. @throws what one has failed by */
  async finish(): Promise<void> {
    await Promise.all(this.underWay.values());
    if (this.failure) throw this.failure.error;
  }

  private mustWait(piece: Piece): boolean {
    return this.underWay.size >= this.most || [...this.underWay.keys()].some((each) => each.needsOrderWith(piece));
  }
}
