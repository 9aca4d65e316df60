import { randomUUID } from 'node:crypto';
import { deferred } from '../../base/deferred.ts';
import type { Database } from '../../graph/database/database.ts';
import type { Beside } from '../../skills/skill.ts';
import { untraced } from '../../telemetry/tracing.ts';
import { keyText } from '../nodes/taskNodes.ts';
import { type Delta, deltaOf, type TaskDraft } from './draft.ts';
import { endReviewed } from './endReviewed.ts';
import { type WriteOptions, type WrittenTasks, writeTasks } from './writeTasks.ts';

interface TaskWriterParts {
  database: Database;
  leaseMs: number;
  eventsKeptMs: number;
  /** Milliseconds since 1970. */
  now(): number;
  /** Told of tasks that were written; `refused` are those whose status came after the end of the task. */
  written(drafts: TaskDraft[], refused: TaskDraft[]): void;
  /** Told of tasks that have ended in the same transaction, since what they wait for had come already. */
  ended(drafts: TaskDraft[]): void;
}

interface QueuedDraft {
  draft: TaskDraft;
  promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

const timeoutMs = 30_000;
/** How long the begin of a task is held back that nobody waits to hear of. */
const holdMs = 100;
/** Of one transaction. */
const most = 100;

/**
 * Writes tasks, many in one transaction: those that come while one is under way go together into the next. A task is
 * written as it stands when its turn comes, so that what becomes of it meanwhile costs nothing more.
 */
export class TaskWriter {
  private readonly waiting = new Map<TaskDraft, QueuedDraft>();
  private readonly held = new Map<TaskDraft, { queued: QueuedDraft; timer: NodeJS.Timeout }>();
  private underWay: QueuedDraft[] = [];
  private writing: Promise<void> | undefined;

  constructor(private readonly parts: TaskWriterParts) {}

  /** Resolves once the draft, as it stands now or later, is in the database. */
  write(draft: TaskDraft): Promise<void> {
    let waiting = this.waiting.get(draft);
    if (!waiting) {
      const held = this.held.get(draft);
      clearTimeout(held?.timer);
      this.held.delete(draft);
      waiting = held?.queued ?? queuedDraft(draft);
      this.waiting.set(draft, waiting);
      this.writing ??= untraced(() => this.run());
    }
    return waiting.promise;
  }

  /**
   * Writes the draft a little later, unless it is written before: a task that ends within that time takes one
   * transaction.
   */
  hold(draft: TaskDraft): void {
    if (this.held.has(draft) || this.waiting.has(draft)) return;
    const timer = setTimeout(() => void this.write(draft), holdMs);
    this.held.set(draft, { queued: queuedDraft(draft), timer });
  }

  /** Whether the database doesn't have it yet as it stands. */
  owes(draft: TaskDraft): boolean {
    return this.owed(draft) !== undefined;
  }

  /**
   * How many want to be told of the task's events, once the database has the draft as it stands. @throws what writing
   * it has thrown
   */
  async receivers(draft: TaskDraft): Promise<number | undefined> {
    await this.owed(draft)?.promise;
    return draft.receivers;
  }

  /** How it writes now. */
  options(): WriteOptions {
    const { leaseMs, eventsKeptMs } = this.parts;
    return { leaseMs, eventsKeptMs, writeId: randomUUID() };
  }

  /** Has Neo4j plan its query. */
  async plan(): Promise<void> {
    await this.send([]);
  }

  /** Waits until everything is written, or has failed. */
  async idle(): Promise<void> {
    for (const draft of [...this.held.keys()]) void this.write(draft);
    while (this.writing) await this.writing;
  }

  private async run(): Promise<void> {
    // What is published in one tick goes together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.size > 0) {
      const group: QueuedDraft[] = [];
      const keys = new Set<string>();
      for (const each of this.waiting.values()) {
        const key = keyText(each.draft);
        // Two drafts of one task would be two rows of one node.
        if (keys.has(key)) continue;
        keys.add(key);
        group.push(each);
        if (group.length === most) break;
      }
      for (const { draft } of group) this.waiting.delete(draft);
      this.underWay = group;
      await this.writeGroup(group);
    }
    this.writing = undefined;
  }

  private async writeGroup(group: QueuedDraft[]): Promise<void> {
    try {
      await this.commit(group.map(({ draft }) => draft));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (group.length === 1) group[0]?.reject(error);
      // The fault of one task is not that of the others.
      else for (const each of group) await this.writeGroup([each]);
    }
  }

  private owed(draft: TaskDraft): QueuedDraft | undefined {
    return (
      this.waiting.get(draft) ?? this.held.get(draft)?.queued ?? this.underWay.find((each) => each.draft === draft)
    );
  }

  private send(deltas: Delta[], beside: Beside[] = []): Promise<WrittenTasks & { ended: TaskDraft[] }> {
    const { database, now } = this.parts;
    const options = this.options();
    return database.write(async (tx) => {
      const written = await writeTasks(tx, deltas, options);
      for (const work of beside) await work(tx);
      const ended: TaskDraft[] = [];
      for (const { status, tenant, id } of deltas) {
        if (!status?.resting || status.ended) continue;
        // Its proposal may have been reviewed before it was said that it waits.
        const further = { ...options, writeId: `${options.writeId} reviewed` };
        const draft = await endReviewed(tx, { tenant, id }, further, now());
        if (draft) ended.push(draft);
      }
      return { ...written, ended };
    }, timeoutMs);
  }

  private async commit(drafts: TaskDraft[]): Promise<void> {
    const { now, written, ended: told } = this.parts;
    const begun = drafts.map((draft) => ({
      draft,
      ...deltaOf(draft, now()),
      passed: draft.passed.length,
      events: draft.events.length,
      beside: draft.beside?.slice() ?? [],
    }));
    const { over, taken, receivers, ended } = await this.send(
      begun.map(({ delta }) => delta),
      begun.flatMap(({ beside }) => beside),
    );
    for (const { draft, delta, known, passed, events, beside } of begun) {
      draft.known = known;
      draft.receivers = receivers.get(keyText(draft));
      draft.taken = taken.has(keyText(delta));
      draft.guess = false;
      draft.refused = draft.taken || (delta.status !== null && over.has(keyText(delta)));
      draft.passed.splice(0, passed);
      draft.events.splice(0, events);
      draft.beside?.splice(0, beside.length);
    }
    this.underWay = this.underWay.filter(({ draft }) => !drafts.includes(draft));
    written(
      drafts,
      drafts.filter(({ refused }) => refused),
    );
    told(ended);
  }
}

function queuedDraft(draft: TaskDraft): QueuedDraft {
  const settled = deferred();
  // Not everybody who writes waits.
  settled.promise.catch(() => {});
  return { draft, ...settled };
}
