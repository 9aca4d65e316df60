/** How often a random suite has met each of the things that it claims to try. */
export class Tally<Kind extends string> {
  private readonly counts: Map<Kind, number>;

  constructor(kinds: readonly Kind[]) {
    this.counts = new Map(kinds.map((kind) => [kind, 0]));
  }

  add(kind: Kind, times = 1): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + times);
  }

  /** Those that it hasn't met. */
  get missing(): Kind[] {
    return [...this.counts].filter(([, times]) => times === 0).map(([kind]) => kind);
  }

  toString(): string {
    return [...this.counts].map(([kind, times]) => `${kind} ${times}`).join(', ');
  }
}
