import { LRUCache } from 'lru-cache';

/** Where somebody stands in a window. */
export interface Standing {
  /** What is limited: `address`, `agent`, `method`, `day` or `tokens`. */
  policy: string;
  /** Requests, or tokens, in the window. */
  limit: number;
  /** Seconds. */
  window: number;
  remaining: number;
  /** Milliseconds until the window ends. */
  resetMs: number;
  /** Whether the request is one too many. */
  isExceeded: boolean;
}

/**
 * Counts requests by a key in windows that begin with the first, in this process. Of more keys than it keeps, those that
 * haven't been seen for longest are forgotten: whoever has so many addresses has as many shares anyway.
 */
export class Windows {
  private readonly byKey: LRUCache<string, { taken: number; endsAt: number }>;

  /** @param now milliseconds of a clock that doesn't jump */
  constructor(
    private readonly options: Pick<Standing, 'policy' | 'limit' | 'window'>,
    private readonly now: () => number = () => performance.now(),
    mostKeys = 50_000,
  ) {
    this.byKey = new LRUCache({ max: mostKeys });
  }

  /** Keys that are kept. */
  get size(): number {
    return this.byKey.size;
  }

  /** Counts a request, or several tokens: whoever has one left may take as many as it needs. */
  take(key: string, amount = 1): Standing {
    const now = this.now();
    const known = this.byKey.get(key);
    const own = known && known.endsAt > now ? known : { taken: 0, endsAt: now + this.options.window * 1_000 };
    if (own !== known) this.byKey.set(key, own);
    const { limit } = this.options;
    const isExceeded = own.taken >= limit;
    if (!isExceeded) own.taken += amount;
    return { ...this.options, remaining: Math.max(0, limit - own.taken), resetMs: own.endsAt - now, isExceeded };
  }

  /** Counts what was taken beyond what was expected, or gives back what was not. Past its window it is of no account. */
  settle(key: string, amount: number): void {
    const own = this.byKey.get(key);
    if (own && own.endsAt > this.now()) own.taken = Math.max(0, own.taken + amount);
  }
}
