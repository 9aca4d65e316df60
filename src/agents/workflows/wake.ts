import { setTimeout as sleep } from 'node:timers/promises';

const longestTimer = 2_147_483_647;

/** Something that may happen while it is waited for, or before; what has happened twice by then has happened once. */
export class Wake {
  private hasHappened = false;
  private wake: () => void = () => {};

  happened(): void {
    this.hasHappened = true;
    this.wake();
  }

  /** Waits until it happens, for so many milliseconds at most, or until the signal is aborted. It doesn't throw. */
  async next(mostMs: number, signal: AbortSignal): Promise<void> {
    if (!this.hasHappened) {
      const waited = new AbortController();
      const happened = new Promise<void>((resolve) => {
        this.wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true, signal: waited.signal });
      });
      const ms = Math.max(0, Math.min(mostMs, longestTimer));
      await Promise.race([happened, sleep(ms, undefined, waited).catch(() => {})]);
      waited.abort();
    }
    this.hasHappened = false;
  }
}
