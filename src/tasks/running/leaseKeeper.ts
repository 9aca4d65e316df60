import { Periodic } from '../../base/periodic.ts';
import type { Database } from '../../graph/database/database.ts';
import { renewLeases, takeOverLost } from '../../graph/leases/leases.ts';
import { untraced } from '../../telemetry/tracing.ts';
import { keyText, type TaskKey } from '../nodes/taskNodes.ts';
import type { Claims } from '../store/claims.ts';
import { releaseClaims } from '../store/claimTask.ts';
import type { LiveTasks } from '../store/liveTasks.ts';
import type { TaskWriter } from '../store/taskWriter.ts';
import { readCancelAsked, removeOldEvents } from './leases.ts';

interface LeaseKeeperParts {
  database: Database;
  live: LiveTasks;
  writer: TaskWriter;
  claims: Claims;
  /** Of this replica. */
  replica: string;
  leaseMs: number;
  /** How often it is looked for wishes to cancel. */
  pollMs: number;
  cancel(key: TaskKey): Promise<void>;
  /** Goes on with a task of a replica that died, or ends it. */
  lost(key: TaskKey): Promise<void>;
  onError(error: unknown): void;
}

const timeoutMs = 10_000;
/** Of one transaction. */
const batch = { tasks: 100, events: 1_000 };
/**
 * How many times a task may be found idle that was never executed, as when its push configuration could not be kept.
 */
const patience = 600;

/**
 * What a replica does about tasks beside executing them: renews its leases and claims, hears who wants to cancel, and takes
 * up or ends the tasks of replicas that died.
 */
export class LeaseKeeper {
  private readonly works: Periodic[];
  private closed = false;

  constructor(private readonly parts: LeaseKeeperParts) {
    const { pollMs, leaseMs, onError } = parts;
    const every = (everyMs: number, work: () => Promise<void>) =>
      new Periodic({ everyMs, work: () => untraced(work), onError });
    this.works = [
      every(pollMs, () => this.hearCancels()),
      every(leaseMs / 3, () => this.renew()),
      every(leaseMs / 3, () => this.sweepInTime()),
    ];
  }

  start(): void {
    for (const work of this.works) work.start();
  }

  /**
   * Takes up the tasks of replicas that died, or ends them as failed, gives back what these had claimed, and removes events
   * that have had their time.
   */
  async sweep(): Promise<void> {
    const { database, replica, leaseMs } = this.parts;
    const limit = batch.tasks;
    for (let found = limit; found === limit && !this.closed; ) {
      const lost = await database.write(async (tx) => {
        const taken = await takeOverLost(tx, 'Task', { replica, leaseMs, limit });
        return { taken, executed: taken.length === 0 ? [] : await releaseClaims(tx, taken, replica) };
      }, timeoutMs);
      await Promise.all(lost.executed.map((key) => this.parts.lost(key)));
      found = lost.taken.length;
    }
    for (let isMore = true; isMore && !this.closed; )
      isMore = await database.write((tx) => removeOldEvents(tx, batch), timeoutMs);
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.works.map((work) => work.close()));
  }

  /**
   * After Neo4j was away every lease has run out: other replicas are given the time to renew theirs, or their tasks
   * would be ended under them.
   */
  private async sweepInTime(): Promise<void> {
    if (this.parts.database.hasAnsweredFor(this.parts.leaseMs)) await this.sweep();
  }

  private async hearCancels(): Promise<void> {
    const { database, live, writer, cancel } = this.parts;
    const all = live.all();
    for (const each of all) {
      const isIdle = each.executions === 0 && !(each.draft && writer.owes(each.draft));
      each.foundIdle = isIdle ? each.foundIdle + 1 : 0;
      if (each.foundIdle > (each.begun ? 1 : patience)) live.drop(each);
    }
    const running = all.filter(({ executions, cancelled }) => executions > 0 && !cancelled);
    if (running.length === 0) return;
    const asked = await database.read((tx) => readCancelAsked(tx, running), timeoutMs);
    await Promise.all(running.filter((each) => asked.has(keyText(each))).map(cancel));
  }

  private async renew(): Promise<void> {
    const { database, live, claims, replica, leaseMs } = this.parts;
    const running = live.all().filter(({ executions, isResting }) => executions > 0 && !isResting);
    const keys = [...running, ...claims.all()];
    if (keys.length === 0) return;
    await database.write((tx) => renewLeases(tx, 'Task', keys, { replica, leaseMs }), timeoutMs);
  }
}
