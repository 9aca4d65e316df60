import { LRUCache } from 'lru-cache';

/** Where somebody stands in a window. */
export interface Standing {
  /** What is limited: `address`, `agent`, `method` or `day`. */
  policy: string;
  /** Requests in the window. */
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

  /** Counts a request. */
  take(key: string): Standing {
    const now = this.now();
    const known = this.byKey.get(key);
    const own = known && known.endsAt > now ? known : { taken: 0, endsAt: now + this.options.window * 1_000 };
    if (own !== known) this.byKey.set(key, own);
    const { limit } = this.options;
    const isExceeded = own.taken >= limit;
    if (!isExceeded) own.taken += 1;
    return { ...this.options, remaining: limit - own.taken, resetMs: own.endsAt - now, isExceeded };
  }
}
