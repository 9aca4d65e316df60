import { Periodic } from '../../base/periodic.ts';
import type { Database } from '../../graph/database/database.ts';
import { untraced } from '../../telemetry/tracing.ts';
import { keyText, type TaskKey } from '../nodes/taskNodes.ts';
import { readEvents, readStandings, type Standing, type StoredEvent } from './followTasks.ts';

/** Who follows a task. */
export interface Follower extends TaskKey {
  /** The number of the first event that it has not had; moved on by the feed. */
  position: number;
  /** Gets what has come since, in order; one at which it throws it gets again at the next poll. */
  event(event: StoredEvent): Promise<void> | void;
  /** Told once, when the task has ended, or is not there. */
  ended(): void;
}

interface TaskFeedParts {
  database: Database;
  pollMs: number;
  onError(error: unknown): void;
}

const timeoutMs = 10_000;

/**
 * Follows tasks, whichever replica executes them: one cheap query a poll for all of them, while anybody follows one.
 * What this replica writes wakes it at once.
 */
export class TaskFeed {
  private readonly followers = new Set<Follower>();
  private readonly polling: Periodic;

  constructor(private readonly parts: TaskFeedParts) {
    const { pollMs, onError } = parts;
    this.polling = new Periodic({ everyMs: pollMs, work: () => untraced(() => this.poll()), onError });
  }

  follow(follower: Follower): void {
    if (this.polling.isClosed) {
      follower.ended();
      return;
    }
    this.followers.add(follower);
    this.polling.start();
    this.wake();
  }

  leave(follower: Follower): void {
    this.followers.delete(follower);
    if (this.followers.size === 0) this.polling.stop();
  }

  /** Looks now. */
  wake(): void {
    if (this.followers.size > 0) this.polling.wake();
  }

  /** Ends all who follow. */
  async close(): Promise<void> {
    const closed = this.polling.close();
    for (const follower of [...this.followers]) this.end(follower);
    await closed;
  }

  private end(follower: Follower): void {
    this.leave(follower);
    follower.ended();
  }

  private async poll(): Promise<void> {
    const { database } = this.parts;
    const followers = [...this.followers];
    if (followers.length === 0) return;
    const tasks = [...new Map(followers.map((each) => [keyText(each), each])).values()];
    const standings = await database.read((tx) => readStandings(tx, tasks), timeoutMs);
    const behind = followers.filter((each) => each.position < (standings.get(keyText(each))?.events ?? 0));
    const events =
      behind.length === 0
        ? new Map<string, StoredEvent[]>()
        : await database.read((tx) => readEvents(tx, stretchesOf(behind, standings)), timeoutMs);
    for (const follower of followers) {
      const key = keyText(follower);
      // What one of them fails at holds up no other.
      await this.tell(follower, events.get(key) ?? [], standings.get(key)).catch(this.parts.onError);
    }
  }

  private async tell(follower: Follower, events: StoredEvent[], standing: Standing | undefined): Promise<void> {
    for (const event of events) {
      if (event.index < follower.position) continue;
      if (!this.followers.has(follower)) return;
      await follower.event(event);
      follower.position = event.index + 1;
    }
    if (standing) follower.position = Math.max(follower.position, standing.events);
    if (standing?.ended !== false && this.followers.has(follower)) this.end(follower);
  }
}

/** Of each task as far back as the last of its followers is. */
function stretchesOf(behind: Follower[], standings: Map<string, Standing>) {
  const stretches = new Map<string, { tenant: string; id: string; after: number; to: number }>();
  for (const { tenant, id, position } of behind) {
    const key = keyText({ tenant, id });
    const after = Math.min(position, stretches.get(key)?.after ?? position);
    stretches.set(key, { tenant, id, after, to: standings.get(key)?.events ?? position });
  }
  return [...stretches.values()];
}
