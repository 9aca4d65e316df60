import { Periodic } from '../../base/periodic.ts';
import { untraced } from '../../telemetry/tracing.ts';
import type { CaptureState, EditSource } from './editSource.ts';

interface CaptureWatchParts {
  /** Absent where edits are not to be seen. */
  source?: EditSource;
  /** At the start. */
  state: CaptureState;
  /** Told when edits by hand come to be seen, or are seen no more. */
  onChange(state: CaptureState): void;
}

const everyMs = 10_000;

/** Knows whether edits by hand are seen: whoever may administrate Neo4j may also take away what sees them. */
export class CaptureWatch {
  private readonly looking: Periodic;
  private known: CaptureState;

  constructor(private readonly parts: CaptureWatchParts) {
    this.known = parts.state;
    // A Neo4j that is away is told elsewhere.
    this.looking = new Periodic({ everyMs, work: () => untraced(() => this.look()), onError: () => {} });
  }

  get state(): CaptureState {
    return this.known;
  }

  get source(): EditSource | undefined {
    return this.parts.source;
  }

  start(): void {
    this.looking.start();
  }

  async look(): Promise<void> {
    const { source, onChange } = this.parts;
    if (source === undefined) return;
    const before = this.known;
    this.known = await source.state();
    if (this.known.isSeen !== before.isSeen) onChange(this.known);
  }

  close(): Promise<void> {
    return this.looking.close();
  }
}
