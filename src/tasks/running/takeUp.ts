import type { Task } from '@a2a-js/sdk';
import { type ExecutionEventBus, ServerCallContext } from '@a2a-js/sdk/server';
import { PrincipalUser, stateMap } from '../../calls/callState.ts';
import type { TaskKey } from '../nodes/taskNodes.ts';
import { knownOf } from '../store/draft.ts';
import type { LiveTasks } from '../store/liveTasks.ts';
import { type ExecutionParts, execution } from './execution.ts';

/** Goes on with tasks that nobody executes any more. */
export interface Resumer {
  /** How a task goes on whose replica is gone; undefined where it doesn't. */
  resume(
    task: Task,
    whose: { tenant: string; owner: string },
  ): Promise<((bus: ExecutionEventBus) => Promise<void>) | undefined>;
  /** Told that a task was cancelled that nobody executed. */
  cancelled(task: Task, tenant: string): Promise<void>;
}

export interface TakeUpParts extends ExecutionParts {
  resumer: Resumer;
  live: LiveTasks;
}

/**
 * Takes up a task whose replica is gone, as it was read. Its lease must be this replica's.
 * @returns whether it goes on here
 */
export async function takeUp(
  { resumer, live, ...parts }: TakeUpParts,
  key: TaskKey,
  { task, owner }: { task: Task; owner: string },
): Promise<boolean> {
  // It was slow to renew its own lease.
  if ((live.get(key)?.executions ?? 0) > 0) return true;
  const execute = await resumer.resume(task, { tenant: key.tenant, owner });
  if (!execute) return false;
  const running = live.open(key);
  running.executions += 1;
  running.begun = true;
  running.known ??= knownOf(task);
  const { tenant } = key;
  const user = new PrincipalUser(
    { tenant, ...(owner !== '' && { agentId: owner }), scopes: new Set() },
    new AbortController().signal,
  );
  const context = new ServerCallContext({ user, tenant, requestedVersion: '1.0', state: stateMap(user.state) });
  void execution(parts, running, context, execute);
  return true;
}
