import { setTimeout as sleep } from 'node:timers/promises';
import { TaskState } from '@a2a-js/sdk';
import type { AgentExecutor, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server';
import type { Database } from '../../graph/database/database.ts';
import type { TaskFeed } from '../following/taskFeed.ts';
import { callerOf } from '../nodes/caller.ts';
import type { TaskKey } from '../nodes/taskNodes.ts';
import type { Claims } from '../store/claims.ts';
import type { Ending } from '../store/endTask.ts';
import type { GraphTaskStore } from '../store/graphTaskStore.ts';
import type { LiveTasks } from '../store/liveTasks.ts';
import type { Buses } from './buses.ts';
import { askToCancel } from './leases.ts';

interface ReplicaExecutorParts {
  database: Database;
  live: LiveTasks;
  claims: Claims;
  buses: Buses;
  store: GraphTaskStore;
  feed: TaskFeed;
  /** Ends a task that nobody executes. */
  end(key: TaskKey, ending: Ending): Promise<void>;
}

const timeoutMs = 10_000;
/** After which a replica that was told to cancel is looked at again: it may have died, or come to rest first. */
const askAgainMs = 1_000;

const cancelled: Ending = { state: TaskState.TASK_STATE_CANCELED, text: 'The task was cancelled' };

/** The executor among several replicas: it cancels tasks wherever they run. */
export class ReplicaExecutor implements AgentExecutor {
  constructor(
    private readonly inner: AgentExecutor,
    private readonly parts: ReplicaExecutorParts,
  ) {}

  async execute(request: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { live, claims, store } = this.parts;
    const task = live.open({ tenant: callerOf(request.context).tenant, id: request.taskId });
    task.executions += 1;
    task.begun = true;
    task.isNew = request.task === undefined;
    task.cancelled = false;
    task.known ??= store.known(request.task);
    task.isGuess = claims.begun(task);
    await this.inner.execute(request, bus);
  }

  /** Resolves when the task has ended, or nothing can be done about it. */
  async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    const key = this.parts.buses.keyOf(bus);
    if (!key) return this.inner.cancelTask(taskId, bus);
    const ranHere = await this.cancel(key);
    // Nothing is said on the bus of a task that doesn't run here.
    if (!ranHere) bus.finished();
  }

  /** Cancels a task wherever it runs. @returns whether it runs here */
  async cancel(key: TaskKey): Promise<boolean> {
    const running = this.parts.live.get(key);
    const runsHere = running !== undefined && running.executions > 0;
    await (runsHere ? this.cancelHere(key) : this.cancelElsewhere(key));
    return runsHere;
  }

  /** Cancels a task that runs here, once. */
  async cancelHere(key: TaskKey): Promise<void> {
    const running = this.parts.live.get(key);
    if (!running || running.executions === 0 || running.cancelled) return;
    running.cancelled = true;
    await this.inner.cancelTask(running.id, running.bus);
  }

  private async cancelElsewhere(key: TaskKey): Promise<void> {
    const { database } = this.parts;
    for (;;) {
      const outcome = await database.write((tx) => askToCancel(tx, key), timeoutMs);
      if (outcome === 'ended') return;
      if (outcome === 'idle') return this.parts.end(key, cancelled);
      await this.untilEnded(key);
    }
  }

  private async untilEnded(key: TaskKey): Promise<void> {
    const { feed } = this.parts;
    const waited = new AbortController();
    const ended = new Promise<void>((resolve) => {
      const follower = { ...key, position: Number.MAX_SAFE_INTEGER, event() {}, ended: resolve };
      feed.follow(follower);
      waited.signal.addEventListener('abort', () => feed.leave(follower));
    });
    await Promise.race([ended, sleep(askAgainMs, undefined, waited).catch(() => {})]);
    waited.abort();
  }
}
