import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AgentExecutor,
  ExecutionEventBusManager,
  PushNotificationStore,
  TaskStore,
} from '@a2a-js/sdk/server';
import type { Database } from '../graph/database.ts';
import { untraced } from '../telemetry/tracing.ts';
import { Buses } from './buses.ts';
import { GraphTaskStore } from './graphTaskStore.ts';
import { LiveTasks } from './liveTasks.ts';
import { PushConfigs } from './pushConfigs.ts';
import { readTask } from './readTasks.ts';
import { ReplicaExecutor } from './replicaExecutor.ts';
import { TaskFeed } from './taskFeed.ts';
import { TaskWriter } from './taskWriter.ts';
import { Upkeep } from './upkeep.ts';

export interface TasksOptions {
  database: Database;
  onError(error: unknown): void;
  /** How long a task is left alone whose replica doesn't renew its lease; it does three times as often. */
  leaseMs?: number;
  /** How often the database is asked for events of tasks that are followed, and for wishes to cancel. */
  pollMs?: number;
  /** How long the events of a task are kept after its end. */
  eventsKeptMs?: number;
  /** Milliseconds since 1970. */
  now?(): number;
}

/** What keeps tasks in Neo4j, so that any replica serves any call. */
export interface Tasks {
  taskStore: TaskStore;
  eventBusManager: ExecutionEventBusManager;
  /** For a sender of push notifications. */
  pushStore: PushNotificationStore;
  /** The executor among several replicas; one for each `Tasks`. */
  replicated(executor: AgentExecutor): AgentExecutor;
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
  });
  const store = new GraphTaskStore({ database, writer, live, replica, now });
  const buses = new Buses({
    live,
    feed,
    load: async (key) => (await database.read((tx) => readTask(tx, key, undefined), timeoutMs))?.task,
    settled(key) {
      const task = live.get(key);
      if (!task) return;
      task.executions -= 1;
      if (task.executions === 0) task.bus.finished();
      release(key);
    },
  });
  const upkeep = new Upkeep({
    database,
    live,
    writer,
    replica,
    leaseMs,
    pollMs,
    now,
    cancel: async (key) => executor?.cancelHere(key),
    onError,
  });
  upkeep.start();
  // Neo4j plans it for up to seconds, which the first task need not wait for.
  const planned = untraced(() => writer.plan()).catch(onError);
  return {
    taskStore: store,
    eventBusManager: buses,
    pushStore: new PushConfigs(database),
    replicated(inner) {
      executor = new ReplicaExecutor(inner, { database, live, buses, store, writer, feed, now });
      return executor;
    },
    sweep: () => upkeep.sweep(),
    async close() {
      const owed = () =>
        live.all().some(({ draft, isResting }) => draft && (!isResting || writer.owes(draft)));
      for (const end = Date.now() + patienceMs; owed() && Date.now() < end; ) await sleep(10);
      await planned;
      await upkeep.close();
      await writer.idle();
      await feed.close();
    },
  };
}
