import type { Task } from '@a2a-js/sdk';
import {
  DefaultExecutionEventBus,
  type ExecutionEventBus,
  type ExecutionEventBusManager,
  type ServerCallContext,
} from '@a2a-js/sdk/server';
import { stateIn } from '../../calls/callState.ts';
import { FollowingBus } from '../following/followingBus.ts';
import type { TaskFeed } from '../following/taskFeed.ts';
import { callerOf } from '../nodes/caller.ts';
import type { TaskKey } from '../nodes/taskNodes.ts';
import type { LiveTasks } from '../store/liveTasks.ts';

export interface BusesParts {
  live: LiveTasks;
  feed: TaskFeed;
  load(key: TaskKey): Promise<Task | undefined>;
  /** Told that an execution of a task that this replica executes has ended. */
  settled(key: TaskKey): void;
}

/**
 * A task that runs here has a bus of its own. Who subscribes gets one that follows the database, wherever the task
 * runs. Who cancels a task that doesn't run here gets one on which nothing is said: what comes of it is read from the
 * database.
 */
export class Buses implements ExecutionEventBusManager {
  private readonly keys = new WeakMap<ExecutionEventBus, TaskKey>();

  constructor(private readonly parts: BusesParts) {}

  createOrGetByTaskId(taskId: string, context?: ServerCallContext): ExecutionEventBus {
    const key = keyIn(taskId, context);
    const { bus } = this.parts.live.open(key);
    this.keys.set(bus, key);
    return bus;
  }

  getByTaskId(taskId: string, context?: ServerCallContext): ExecutionEventBus {
    const key = keyIn(taskId, context);
    const { feed, live, load } = this.parts;
    if (context && stateIn(context).subscribes) {
      const following = new FollowingBus({ ...key, feed, load: () => load(key) });
      stateIn(context).following = following;
      return following;
    }
    const bus = live.get(key)?.bus ?? new DefaultExecutionEventBus();
    this.keys.set(bus, key);
    return bus;
  }

  /** Which task a bus is of. */
  keyOf(bus: ExecutionEventBus): TaskKey | undefined {
    return this.keys.get(bus);
  }

  cleanupByTaskId(): void {}

  /** The bus is let go when the task has come to rest in the database. */
  settleByTaskId(taskId: string, bus: ExecutionEventBus, _state: unknown, context: ServerCallContext): boolean {
    const key = keyIn(taskId, context);
    const live = this.parts.live.get(key);
    // Another may be executed under the same id by now, where this one was refused.
    if (live && live.bus !== bus) bus.finished();
    else this.parts.settled(key);
    return true;
  }
}

function keyIn(id: string, context: ServerCallContext | undefined): TaskKey {
  if (!context) throw new TypeError('A task is of a tenant, which only the context tells');
  return { tenant: callerOf(context).tenant, id };
}
