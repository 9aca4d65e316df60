export interface PeriodicParts {
  everyMs: number;
  work(): Promise<void>;
  onError(error: unknown): void;
}

/** Does a work again and again, never two at once. */
export class Periodic {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isAskedAgain = false;
  /** Whether it begins nothing more. */
  isClosed = false;

  constructor(private readonly parts: PeriodicParts) {}

  /** Begins to do it by the clock; a time at which it still runs is let go by. */
  start(): void {
    if (this.isClosed) return;
    this.timer ??= setInterval(() => {
      if (!this.running) this.wake();
    }, this.parts.everyMs);
  }

  /** Rests until it is started or woken. */
  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Does it now; where it runs already, once more right after. */
  wake(): void {
    if (this.isClosed) return;
    if (this.running) {
      this.isAskedAgain = true;
      return;
    }
    this.running = this.parts
      .work()
      .catch(this.parts.onError)
      .finally(() => {
        this.running = undefined;
        if (!this.isAskedAgain) return;
        this.isAskedAgain = false;
        this.wake();
      });
  }

  /** Begins nothing more, and waits for what runs. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.stop();
    await this.running;
  }
}
