import type { LimitStore } from './limitStore.ts';
import { type Standing, Windows } from './windows.ts';

/** Windows that all replicas share, where there is a store; each counts for itself as well, for while that is away. */
export class SharedWindows {
  private readonly own: Windows;

  /** @param of tells windows of a policy apart */
  constructor(
    private readonly options: Pick<Standing, 'policy' | 'limit' | 'window'> & { of: string },
    private readonly store: LimitStore | undefined,
    now?: () => number,
  ) {
    const { of: _, ...window } = options;
    this.own = new Windows(window, now);
  }

  /** As `Windows.take`. */
  async take(key: string, amount = 1): Promise<Standing> {
    const own = this.own.take(key, amount);
    return (await this.store?.take({ ...this.options, key }, amount)) ?? own;
  }

  /** As `Windows.settle`. */
  settle(key: string, amount: number): void {
    this.own.settle(key, amount);
    this.store?.settle({ ...this.options, key }, amount);
  }
}
