import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AgentExecutor,
  ExecutionEventBusManager,
  StoredPushNotificationConfig,
  TaskStore,
} from '@a2a-js/sdk/server';
import type { Database } from '../graph/database/database.ts';
import type { EndReviewed } from '../knowledge/update/reviewTransaction.ts';
import { untraced } from '../telemetry/tracing.ts';
import { TaskFeed } from './following/taskFeed.ts';
import { readTask } from './nodes/readTasks.ts';
import type { TaskKey } from './nodes/taskNodes.ts';
import { Buses } from './running/buses.ts';
import { LeaseKeeper } from './running/leaseKeeper.ts';
import { ReplicaExecutor } from './running/replicaExecutor.ts';
import type { Draft } from './store/draft.ts';
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
  /** Told of what has ended a task that nobody executed, where a receiver wants to be told. */
  notify?(ended: EndedTask): void;
  /** Milliseconds since 1970. */
  now?(): number;
}

/** A task as it has ended, and the events of that. */
export interface EndedTask extends Pick<Draft, 'tenant' | 'owner' | 'task' | 'events'> {
  /** Reads who is to be told. */
  receivers(): Promise<StoredPushNotificationConfig[]>;
}

/** What keeps tasks in Neo4j, so that any replica serves any call. */
export interface Tasks {
  taskStore: TaskStore;
  eventBusManager: ExecutionEventBusManager;
  /** For a sender of push notifications. */
  pushStore: PushConfigs;
  /** The executor among several replicas; one for each `Tasks`. */
  replicated(executor: AgentExecutor): AgentExecutor;
  /** Ends the tasks that waited for the review of these updates. */
  endReviewed: EndReviewed;
  /** Ends the tasks of replicas that died, now; it is also done by itself. */
  sweep(): Promise<void>;
  /** Writes what isn't written yet and ends who follows. What is executed must have ended. */
  close(): Promise<void>;
}

const timeoutMs = 10_000;
/** How long a shutdown waits for what has been executed to be written. */
const patienceMs = 5_000;

export function createTasks(options: TasksOptions): Tasks {
  const { database, onError, leaseMs = 15_000, pollMs = 100, now = Date.now } = options;
  const replica = randomUUID();
  const live = new LiveTasks();
  const feed = new TaskFeed({ database, pollMs, onError });
  let executor: ReplicaExecutor | undefined;
  const read = (key: TaskKey) => database.read((tx) => readTask(tx, key, undefined), timeoutMs);
  const tell = ({ receivers = 0, tenant, id, owner, task, events }: Draft) => {
    if (receivers === 0) return;
    const configs = () => pushConfigs.ofTask({ tenant, id }, owner);
    options.notify?.({ tenant, owner, task, events, receivers: configs });
  };
  const end = async (key: TaskKey, ending: Ending) => {
    const found = await read(key);
    if (!found) return;
    const draft = endingDraft({ ...key, ...found }, ending, now());
    const events = [...draft.events];
    await writer.write(draft);
    if (!draft.refused) tell({ ...draft, events });
  };
  const release = (key: { tenant: string; id: string }) => {
    const task = live.get(key);
    if (task?.executions === 0 && task.draft && task.isResting && !writer.owes(task.draft)) live.drop(task);
  };
  const writer = new TaskWriter({
    database,
    leaseMs,
    eventsKeptMs: options.eventsKeptMs ?? 600_000,
    now,
    written(drafts, refused) {
      feed.wake();
      for (const draft of refused) {
        // It was ended elsewhere, by who believed that this replica had died.
        executor?.cancelHere(draft).catch(onError);
        const task = live.get(draft);
        if (task) live.drop(task);
      }
      drafts.forEach(release);
    },
    ended: (drafts) => drafts.forEach(tell),
  });
  const pushConfigs = new PushConfigs(database, (draft) => writer.receivers(draft));
  const store = new GraphTaskStore({ database, writer, live, replica, now });
  const buses = new Buses({
    live,
    feed,
    load: async (key) => (await read(key))?.task,
    settled(key) {
      const task = live.get(key);
      if (!task) return;
      task.executions -= 1;
      if (task.executions === 0) task.bus.finished();
      release(key);
    },
  });
  const leaseKeeper = new LeaseKeeper({
    database,
    live,
    writer,
    replica,
    leaseMs,
    pollMs,
    end,
    cancel: async (key) => executor?.cancelHere(key),
    onError,
  });
  leaseKeeper.start();
  // Neo4j plans it for up to seconds, which the first task need not wait for.
  const planned = untraced(() => writer.plan()).catch(onError);
  return {
    taskStore: store,
    eventBusManager: buses,
    pushStore: pushConfigs,
    replicated(inner) {
      executor = new ReplicaExecutor(inner, { database, live, buses, store, feed, end });
      return executor;
    },
    async endReviewed(tx, tenant, updates) {
      const ended: Draft[] = [];
      for (const { taskId } of updates) {
        const draft = taskId && (await endReviewed(tx, { tenant, id: taskId }, writer.options(), now()));
        if (draft) ended.push(draft);
      }
      return () => {
        if (ended.length > 0) feed.wake();
        ended.forEach(tell);
      };
    },
    sweep: () => leaseKeeper.sweep(),
    async close() {
      const owed = () =>
        live.all().some(({ draft, isResting }) => draft && (!isResting || writer.owes(draft)));
      for (const end = Date.now() + patienceMs; owed() && Date.now() < end; ) await sleep(10);
      await planned;
      await leaseKeeper.close();
      await writer.idle();
      await feed.close();
    },
  };
}
