import { randomUUID } from 'node:crypto';
import type { ServerCallContext } from '@a2a-js/sdk/server';
import type { Database } from '../../graph/database/database.ts';
import type { Queryable } from '../../graph/database/queryable.ts';
import { callerOf } from '../nodes/caller.ts';
import { keyText, type TaskKey } from '../nodes/taskNodes.ts';
import { type Claiming, claimTask, claimTasks, claimTurn, releaseClaims } from './claimTask.ts';
import type { LiveTasks } from './liveTasks.ts';
import type { TaskWriter } from './taskWriter.ts';

interface ClaimsParts {
  database: Database;
  live: LiveTasks;
  writer: TaskWriter;
  /** Of this replica. */
  replica: string;
  leaseMs: number;
}

const timeoutMs = 10_000;
/** How long a call may take from where it takes an id to where it is executed. */
const guessMs = 30_000;

/** What the calls of this replica have claimed: ids for new tasks, and the turn to go on with a task. */
export class Claims {
  private readonly held = new Map<string, TaskKey>();
  /** Ids that are taken as far as this replica knows, until the database says so. */
  private readonly guessed = new Map<string, { owner: string; at: number }>();

  constructor(private readonly parts: ClaimsParts) {}

  /** Takes an id that the caller has chosen for a task of its own. */
  async begin(id: string, context: ServerCallContext): ReturnType<typeof claimTask> {
    const { tenant, owner } = callerOf(context);
    const claiming = { owner, ...this.claiming() };
    const outcome = await this.parts.database.write((tx) => claimTask(tx, { tenant, id }, claiming), timeoutMs);
    if (outcome === 'claimed') this.hold({ tenant, id });
    return outcome;
  }

  /**
   * Takes ids for tasks that Concord's own code begins for a caller.
   * @param also what is written in the same transaction
   * @returns those that were to be had
   */
  async beginAll(
    keys: readonly TaskKey[],
    owner: string,
    also: (tx: Queryable, claimed: TaskKey[]) => Promise<void>,
  ): Promise<TaskKey[]> {
    const claiming = { owner, ...this.claiming() };
    const claimed = await this.parts.database.write(async (tx) => {
      const outcomes = await claimTasks(tx, keys, claiming);
      const taken = keys.filter((key) => outcomes.get(keyText(key)) === 'claimed');
      await also(tx, taken);
      return taken;
    }, timeoutMs);
    for (const key of claimed) this.hold(key);
    return claimed;
  }

  /**
   * Takes an id as far as this replica knows; the first transaction of its task takes it, or finds that it wasn't free.
   * @returns undefined where the database must say
   */
  guess(id: string, context: ServerCallContext): Awaited<ReturnType<typeof claimTask>> | undefined {
    const { tenant, owner } = callerOf(context);
    const text = keyText({ tenant, id });
    const live = this.parts.live.get({ tenant, id });
    const before = this.guessed.get(text);
    if (before && (live || performance.now() - before.at < guessMs)) {
      return before.owner === owner ? 'under-way' : 'known';
    }
    if (live?.draft) return 'known';
    if (live || this.held.has(text)) return undefined;
    this.guessed.set(text, { owner, at: performance.now() });
    return 'claimed';
  }

  /** Told that the database knows of tasks, or has refused them. */
  decided(keys: TaskKey[]): void {
    if (this.guessed.size > 0) for (const key of keys) this.guessed.delete(keyText(key));
  }

  /** Takes the turn to go on with a task that waits for its agent. @returns whether it was to be had */
  async goOn(id: string, context: ServerCallContext): Promise<boolean> {
    const { database, live, writer } = this.parts;
    const key = { tenant: callerOf(context).tenant, id };
    // A task may have come to rest here and not in the database yet.
    const draft = live.get(key)?.draft;
    if (draft && writer.owes(draft)) await writer.write(draft);
    const claiming = this.claiming();
    const isTaken = await database.write((tx) => claimTurn(tx, key, claiming), timeoutMs);
    if (isTaken) this.hold(key);
    return isTaken;
  }

  /** Gives back what a call has claimed that does not execute it. */
  async release(id: string, context: ServerCallContext): Promise<void> {
    const key = { tenant: callerOf(context).tenant, id };
    this.guessed.delete(keyText(key));
    if (!this.held.delete(keyText(key))) return;
    const { database, replica } = this.parts;
    await database.write((tx) => releaseClaims(tx, [key], replica), timeoutMs);
  }

  /** Told that a task is executed, whose lease goes on by that. @returns whether its id is only guessed to be free */
  begun(key: TaskKey): boolean {
    this.held.delete(keyText(key));
    return this.guessed.has(keyText(key));
  }

  /** Those that are to be renewed. */
  all(): TaskKey[] {
    return [...this.held.values()];
  }

  private hold(key: TaskKey): void {
    this.held.set(keyText(key), key);
  }

  private claiming(): Claiming {
    const { replica, leaseMs } = this.parts;
    return { replica, leaseMs, claim: randomUUID() };
  }
}
