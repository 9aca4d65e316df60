import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The beginning of a shutdown: the service says that it isn't ready and goes on serving, until who sends calls here has
 * heard of it.
 */
export class Departure {
  private begun = false;

  constructor(private readonly delayMs: number) {}

  get hasBegun(): boolean {
    return this.begun;
  }

  async close(): Promise<void> {
    this.begun = true;
    if (this.delayMs > 0) await sleep(this.delayMs);
  }
}
