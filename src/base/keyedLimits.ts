import pLimit, { type LimitFunction } from 'p-limit';

/** Lets so many works of each key go on at a time; the others wait in order. Nothing is kept of a key without work. */
export class KeyedLimits {
  private readonly byKey = new Map<string, LimitFunction>();

  constructor(private readonly most: number) {}

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const limit = this.byKey.get(key) ?? pLimit(this.most);
    this.byKey.set(key, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.byKey.delete(key);
    }
  }
}
