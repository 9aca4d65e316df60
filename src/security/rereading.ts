import { Periodic } from '../base/periodic.ts';

interface RereadingParts<T> {
  read(): Promise<T>;
  /** The same for what is the same. */
  textOf(found: T): string;
  /** @throws Error where it is faulty, which then changes nothing */
  use(found: T): void;
  /** Told once of what is faulty, or can't be read. */
  onFault(reason: string): void;
  onError(error: unknown): void;
  /** Whether a fault is told only where it is found twice: of several files one is replaced before the other. */
  isPatient: boolean;
  everyMs: number;
}

/**
 * Reads again what files hold, and uses it when it has changed. It is the text that is compared, so that it doesn't
 * matter how a file is replaced: rewritten, renamed over, or as Kubernetes swaps the symbolic links of what it mounts.
 */
export class Rereading<T> {
  /** What was last found, or why nothing was, and whether it was acted on. */
  private last: { seen: string; isSettled: boolean };
  private readonly looking: Periodic;

  /** @param first what was read already and is in use */
  constructor(
    first: T,
    private readonly parts: RereadingParts<T>,
  ) {
    const { everyMs, onError } = parts;
    this.last = { seen: parts.textOf(first), isSettled: true };
    this.looking = new Periodic({ everyMs, work: () => this.look(), onError });
    this.looking.start();
  }

  close(): Promise<void> {
    return this.looking.close();
  }

  private async look(): Promise<void> {
    const { read, textOf, use, onFault, isPatient } = this.parts;
    const got = await read().then(
      (found) => ({ found }),
      (error: Error) => ({ error }),
    );
    const seen = 'found' in got ? textOf(got.found) : got.error.message;
    const isNew = seen !== this.last.seen;
    if (!isNew && this.last.isSettled) return;
    try {
      if ('error' in got) throw got.error;
      use(got.found);
      this.last = { seen, isSettled: true };
    } catch (error) {
      const isTold = !isNew || !isPatient;
      if (isTold) onFault((error as Error).message);
      this.last = { seen, isSettled: isTold };
    }
  }
}
