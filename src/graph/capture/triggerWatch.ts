import { Periodic } from '../../base/periodic.ts';
import { untraced } from '../../telemetry/tracing.ts';
import type { Database } from '../database/database.ts';
import { type CaptureState, triggerState } from './captureTrigger.ts';

interface TriggerWatchParts {
  database: Database;
  /** At the start. */
  state: CaptureState;
  /** Told when edits by hand come to be seen, or are seen no more. */
  onChange(state: CaptureState): void;
}

const everyMs = 10_000;

/** Knows whether edits by hand are seen: whoever may administrate Neo4j may also take the trigger away. */
export class TriggerWatch {
  private readonly looking: Periodic;
  private known: CaptureState;

  constructor(private readonly parts: TriggerWatchParts) {
    this.known = parts.state;
    // A Neo4j that is away is told elsewhere.
    this.looking = new Periodic({ everyMs, work: () => untraced(() => this.look()), onError: () => {} });
  }

  get state(): CaptureState {
    return this.known;
  }

  start(): void {
    this.looking.start();
  }

  async look(): Promise<void> {
    const { database, onChange } = this.parts;
    const before = this.known;
    this.known = await triggerState(database);
    if (this.known.isSeen !== before.isSeen) onChange(this.known);
  }

  close(): Promise<void> {
    return this.looking.close();
  }
}
