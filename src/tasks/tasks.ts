import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Task, TaskState } from '@a2a-js/sdk';
import type { AgentExecutionEvent, AgentExecutor, StoredPushNotificationConfig } from '@a2a-js/sdk/server';
import { refuse } from '../base/reasons.ts';
import type { Database } from '../graph/database/database.ts';
import type { EndReviewed } from '../knowledge/update/reviewTransaction.ts';
import type { Beside } from '../skills/skill.ts';
import { untraced } from '../telemetry/tracing.ts';
import { TaskFeed } from './following/taskFeed.ts';
import { readTask } from './nodes/readTasks.ts';
import type { TaskKey } from './nodes/taskNodes.ts';
import { Buses } from './running/buses.ts';
import { InnerTasks } from './running/innerTasks.ts';
import { LeaseKeeper } from './running/leaseKeeper.ts';
import { ReplicaExecutor } from './running/replicaExecutor.ts';
import { type Resumer, takeUp } from './running/takeUp.ts';
import { Claims } from './store/claims.ts';
import type { TaskDraft } from './store/draft.ts';
import { endReviewed } from './store/endReviewed.ts';
import { type Ending, endingDraft } from './store/endTask.ts';
import { GraphTaskStore } from './store/graphTaskStore.ts';
import { LiveTasks } from './store/liveTasks.ts';
import { PushConfigs } from './store/pushConfigs.ts';
import { TaskWriter } from './store/taskWriter.ts';

export interface TasksOptions {
  database: Database;
  onError(error: unknown): void;
  /** How long a task is left alone whose replica doesn't renew its lease; it does three times as often. */
  leaseMs?: number;
  /** How often the database is asked for events of tasks that are followed, and for wishes to cancel. */
  pollMs?: number;
  /** How long the events of a task are kept after its end. */
  eventsKeptMs?: number;
  /** The versions and dialects whose receivers are told of a task's end though a replica dies. */
  owing?: ReadonlySet<string>;
  /** Told of what has ended a task that nobody executed, where a receiver wants to be told. */
  notify?(ended: EndedTask): void;
  /** Milliseconds since 1970. */
  now?(): number;
}

/** A task as it has ended, and the events of that. */
export interface EndedTask extends Pick<TaskDraft, 'tenant' | 'owner' | 'task' | 'events'> {
  /** Reads who is to be told. */
  receivers(): Promise<StoredPushNotificationConfig[]>;
}

const timeoutMs = 10_000;
const leaseMsUsual = 15_000;
/** How long a shutdown waits for what has been executed to be written. */
const patienceMs = 5_000;

const { code, message, data } = refuse(
  'replica-lost',
  'The replica that executed the task is gone; send the message again',
);
const lostReplica: Ending = {
  state: TaskState.TASK_STATE_FAILED,
  text: message,
  data: { error: { code, message, data } },
};

/** What one replica does about tasks: they are kept in Neo4j, so that any replica serves any call. */
export class Tasks {
  readonly taskStore: GraphTaskStore;
  readonly eventBusManager: Buses;
  /** For a sender of push notifications. */
  readonly pushStore: PushConfigs;
  readonly claims: Claims;
  /** For Concord's own code that begins tasks. */
  readonly inner: InnerTasks;
  private readonly leaseKeeper: LeaseKeeper;
  private readonly now: () => number;
  private readonly live = new LiveTasks();
  private readonly feed: TaskFeed;
  private readonly writer: TaskWriter;
  private executor: ReplicaExecutor | undefined;
  private resumer: Resumer | undefined;
  private readonly planned: Promise<void>;

  constructor(private readonly options: TasksOptions) {
    const { database, onError, leaseMs = leaseMsUsual, pollMs = 100, now = Date.now } = options;
    const { live } = this;
    const replica = randomUUID();
    this.now = now;
    this.feed = new TaskFeed({ database, pollMs, onError });
    this.writer = new TaskWriter({
      database,
      leaseMs,
      eventsKeptMs: options.eventsKeptMs ?? 600_000,
      now,
      written: (drafts, refused) => this.written(drafts, refused),
      ended: (drafts) => this.tell(drafts),
    });
    const { feed, writer } = this;
    this.pushStore = new PushConfigs(database, options.owing, (draft) => writer.receivers(draft));
    this.taskStore = new GraphTaskStore({ database, writer, live, replica, now });
    this.eventBusManager = new Buses({
      live,
      feed,
      load: async (key) => (await this.read(key))?.task,
      settled: (key) => this.settled(key),
    });
    this.claims = new Claims({ database, live, writer, replica, leaseMs });
    const { claims } = this;
    this.leaseKeeper = new LeaseKeeper({
      ...{ database, live, writer, claims, replica, leaseMs, pollMs, onError },
      lost: (key) => this.lost(key),
      cancel: async (key) => this.executor?.cancelHere(key),
    });
    this.inner = new InnerTasks({
      ...{ live, claims, store: this.taskStore, onError },
      executor: () => this.replicatedExecutor(),
      written: (draft, task, event) => this.tellOf(draft, task, event),
      settled: (key) => this.settled(key),
    });
    this.leaseKeeper.start();
    // Neo4j plans it for up to seconds, which the first task need not wait for.
    this.planned = untraced(() => this.writer.plan()).catch(onError);
  }

  /** The executor among several replicas; one for each `Tasks`. */
  replicated(inner: AgentExecutor): AgentExecutor {
    const { live, claims, eventBusManager: buses, taskStore: store, feed } = this;
    const end = (key: TaskKey, ending: Ending) => this.end(key, ending);
    this.executor = new ReplicaExecutor(inner, {
      database: this.options.database,
      ...{ live, claims, buses, store, feed, end },
    });
    return this.executor;
  }

  /** Has tasks go on whose replica is gone, or whose end another agent is to hear of. */
  resumedBy(resumer: Resumer): void {
    this.resumer = resumer;
  }

  /**
   * Resolves once a task that this replica executes is in the database, with what was to be written beside it.
   * @param beside what is written beside it too, in the same transaction, after all that was given before
   */
  async kept(key: TaskKey, beside?: Beside): Promise<void> {
    const live = this.live.get(key);
    if (beside) live?.beside.push(beside);
    // The SDK saves what an executor has published a moment later.
    for (const end = Date.now() + patienceMs; live && !live.draft && Date.now() < end; ) await sleep(1);
    const draft = live?.draft;
    if (!draft) throw new Error('A task that is not executed here is to be kept');
    if (draft.known.status === undefined || live.beside.length > 0) await this.writer.write(draft);
  }

  /** Has something written beside a task that this replica executes, with what is written of it next. */
  alongside(key: TaskKey, beside: Beside): void {
    this.live.get(key)?.beside.push(beside);
  }

  /** Ends the tasks that waited for the review of these updates. */
  async endReviewed(...[tx, tenant, updates]: Parameters<EndReviewed>): Promise<() => void> {
    const ended: TaskDraft[] = [];
    for (const { taskId } of updates) {
      const draft = taskId && (await endReviewed(tx, { tenant, id: taskId }, this.writer.options(), this.now()));
      if (draft) ended.push(draft);
    }
    return () => {
      if (ended.length > 0) this.feed.wake();
      this.tell(ended);
    };
  }

  /** Ends the tasks of replicas that died, now; it is also done by itself. */
  sweep(): Promise<void> {
    return this.leaseKeeper.sweep();
  }

  /** Writes what isn't written yet and ends who follows. What is executed must have ended. */
  async close(): Promise<void> {
    const { live, writer } = this;
    const owed = () => live.all().some(({ draft, isResting }) => draft && (!isResting || writer.owes(draft)));
    for (const end = Date.now() + patienceMs; owed() && Date.now() < end; ) await sleep(10);
    await this.planned;
    await this.leaseKeeper.close();
    await writer.idle();
    await this.feed.close();
  }

  private replicatedExecutor(): ReplicaExecutor {
    if (!this.executor) throw new TypeError('Nothing executes tasks here');
    return this.executor;
  }

  private read(key: TaskKey) {
    return this.options.database.read((tx) => readTask(tx, key, undefined), timeoutMs);
  }

  /** Goes on with a task of a replica that died, or ends it. */
  private async lost(key: TaskKey): Promise<void> {
    const { live, taskStore: store, resumer, options } = this;
    const found = resumer && (await this.read(key));
    const parts = {
      ...{ live, store, onError: options.onError },
      written: (draft: TaskDraft, task: Task, event: AgentExecutionEvent) => this.tellOf(draft, task, event),
      settled: () => this.settled(key),
    };
    if (found && (await takeUp({ ...parts, resumer }, key, found))) return;
    await this.end(key, lostReplica);
  }

  /** Ends a task that nobody executes. */
  private async end(key: TaskKey, ending: Ending): Promise<void> {
    const found = await this.read(key);
    if (!found) return;
    const draft = endingDraft({ ...key, ...found }, ending, this.now());
    const events = [...draft.events];
    await this.writer.write(draft);
    if (draft.refused) return;
    this.tell([{ ...draft, events }]);
    if (ending.state !== TaskState.TASK_STATE_CANCELED) return;
    // Who cancels it doesn't wait for another agent.
    this.resumer?.cancelled(found.task, key.tenant).catch(this.options.onError);
  }

  /** Tells of an event whose task may still have to be written: then it is known whether there are any receivers. */
  private tellOf(draft: TaskDraft, task: Task, event: AgentExecutionEvent): void {
    if (draft.receivers === 0) return;
    const { tenant, id, owner } = draft;
    const receivers = async () => {
      const count = await this.writer.receivers(draft).catch(() => undefined);
      return count === 0 ? [] : await this.pushStore.ofTask({ tenant, id }, owner);
    };
    this.options.notify?.({ tenant, owner, task: structuredClone(task), events: [event], receivers });
  }

  private tell(drafts: TaskDraft[]): void {
    for (const { receivers = 0, tenant, id, owner, task, events } of drafts) {
      if (receivers === 0) continue;
      const configs = () => this.pushStore.ofTask({ tenant, id }, owner);
      this.options.notify?.({ tenant, owner, task, events, receivers: configs });
    }
  }

  private written(drafts: TaskDraft[], refused: TaskDraft[]): void {
    this.feed.wake();
    this.claims.decided(drafts);
    for (const draft of refused) {
      // It was ended elsewhere, by who believed that this replica had died.
      this.executor?.cancelHere(draft).catch(this.options.onError);
      const task = this.live.get(draft);
      if (task) this.live.drop(task);
    }
    for (const draft of drafts) this.release(draft);
  }

  private settled(key: TaskKey): void {
    const task = this.live.get(key);
    if (!task) return;
    task.executions -= 1;
    if (task.executions === 0) task.bus.finished();
    this.release(key);
  }

  private release(key: TaskKey): void {
    const task = this.live.get(key);
    const { writer } = this;
    if (task?.executions === 0 && task.draft && task.isResting && !writer.owes(task.draft)) this.live.drop(task);
  }
}
