import type { Task } from '@a2a-js/sdk';
import {
  type AgentExecutionEvent,
  type ExecutionEventBus,
  ExecutionEventQueue,
  ResultManager,
  type ServerCallContext,
} from '@a2a-js/sdk/server';
import { untraced } from '../../telemetry/tracing.ts';
import type { TaskKey } from '../nodes/taskNodes.ts';
import type { TaskDraft } from '../store/draft.ts';
import type { GraphTaskStore } from '../store/graphTaskStore.ts';
import type { LiveTask } from '../store/liveTasks.ts';

export interface ExecutionParts {
  store: GraphTaskStore;
  /** Told of each event once it is taken to be written with the task, and of what is written then. */
  written(draft: TaskDraft, task: Task, event: AgentExecutionEvent): void;
  /** Told that the execution has ended. */
  settled(key: TaskKey): void;
  onError(error: unknown): void;
}

/**
 * Executes a task without a call that waits for it, and writes what is published of it.
 * @returns what resolves once it has come to rest and is written
 */
export async function execution(
  { store, written, settled, onError }: ExecutionParts,
  running: LiveTask,
  context: ServerCallContext,
  execute: (bus: ExecutionEventBus) => Promise<void>,
): Promise<void> {
  const results = new ResultManager(store, context);
  const queue = new ExecutionEventQueue(running.bus);
  const hearing = (async () => {
    for await (const event of queue.events()) {
      await results.processEvent(event);
      const now = results.getCurrentTask();
      // Where the execution has ended by now, the task is let go as soon as it is written.
      if (now && running.draft) written(running.draft, now, event);
    }
  })();
  const executing = untraced(() => execute(running.bus))
    .catch(onError)
    .finally(() => settled(running));
  await Promise.all([executing, hearing.catch(onError).finally(() => queue.stop())]);
}
