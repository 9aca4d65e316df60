import type { ServerCallContext, TaskStore } from '@a2a-js/sdk/server';
import { refuse } from '../../base/reasons.ts';
import { stateIn } from '../../calls/callState.ts';

declare module '../../calls/callState.ts' {
  interface CallState {
    /** Of a call with a message to a task that is there: whether it is its turn yet to go on with it. */
    turn?: 'wanted' | 'taken';
  }
}

/**
 * What became of the wish to begin a task under an id: it is the caller's now; there is something under it; or the
 * caller begins it at this moment by another call.
 */
export type Claim = 'claimed' | 'known' | 'under-way';

/** What calls take before they execute a task: of those who want the same at once, one gets it. */
export interface TaskClaims {
  /** Takes an id for a task that the caller begins. */
  begin(taskId: string, context: ServerCallContext): Promise<Claim>;
  /**
   * Takes an id as far as this replica knows: its task's first transaction takes it, and else comes to nothing
   * (`taken`). So a task that ends at once needs one transaction. Undefined where `begin` must say.
   */
  guess?(taskId: string, context: ServerCallContext): Claim | undefined;
  /** Takes the turn to go on with a task that waits for its agent. @returns whether it was to be had */
  goOn(taskId: string, context: ServerCallContext): Promise<boolean>;
  /** Gives back what a call has taken that does not execute the task. */
  release(taskId: string, context: ServerCallContext): Promise<void>;
}

/** The store, in which a call takes its turn by adding its message to a task: the SDK does so before it executes it. */
export function takingTurns(inner: TaskStore, claims: Pick<TaskClaims, 'goOn'>): TaskStore {
  return {
    load: (taskId, context) => inner.load(taskId, context),
    async save(task, context) {
      const state = stateIn(context);
      if (state.turn === 'wanted') {
        if (!(await claims.goOn(task.id, context))) throw underWay();
        state.turn = 'taken';
      }
      await inner.save(task, context);
    },
    list: (params, context) => inner.list(params, context),
  };
}

export function underWay() {
  return refuse('task-under-way', 'The task is under way and takes no message now; follow it, or wait for its end');
}
