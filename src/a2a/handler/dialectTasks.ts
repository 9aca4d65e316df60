import { type Task, TaskState } from '@a2a-js/sdk';
import { type AgentExecutor, RequestContext, type TaskStore } from '@a2a-js/sdk/server';
import { refuse } from '../../base/reasons.ts';
import { type CallState, stateIn } from '../../calls/callState.ts';
import type { TaskDraft } from '../../tasks/store/draft.ts';
import { type TaskClaims, underWay } from './taskClaims.ts';

declare module '../../calls/callState.ts' {
  interface CallState {
    /** How far the task of `chosenId` has come: whether it was there already, or is begun by the call. */
    begins?: 'known' | 'claimed' | 'begun';
    /** Whether the call may be begun before it is known whether its id is free. */
    guesses?: boolean;
  }
}

const mark = 'concord.dialect';
const isUnderWay = ({ status }: Task) =>
  status?.state === TaskState.TASK_STATE_SUBMITTED || status?.state === TaskState.TASK_STATE_WORKING;

/** The dialect that a task was begun in; undefined if in A2A 1.0 or 0.3. */
export function dialectOf({ metadata }: Task): string | undefined {
  const dialect: unknown = metadata?.[mark];
  return typeof dialect === 'string' ? dialect : undefined;
}

/** The metadata of a task without what marks its dialect. */
export function metadataOf({ metadata }: Task): Record<string, unknown> | undefined {
  const { [mark]: _, ...rest } = metadata ?? {};
  return Object.keys(rest).length > 0 ? rest : undefined;
}

/**
 * The store, with which a call of a dialect begins a task under an id of its caller's (`CallState.chosenId`). In A2A
 * 1.0 a message names only tasks that are there, and the SDK makes the ids; so it is given a task without content, as
 * if it were there, whose first saving is left out and which the executor doesn't see.
 */
export function beginningTasks(inner: TaskStore, claims: Pick<TaskClaims, 'begin' | 'guess'>): TaskStore {
  return {
    async load(taskId, context) {
      const state = stateIn(context);
      const refused = refusedDraft(state);
      if (refused?.id === taskId) return structuredClone(refused.task);
      if (state.chosenId !== taskId || state.begins === 'begun') return inner.load(taskId, context);
      const isFirst = state.begins === undefined;
      if (isFirst) {
        const guess = state.guesses ? claims.guess?.(taskId, context) : undefined;
        const outcome = guess ?? (await claims.begin(taskId, context));
        if (outcome === 'under-way') throw underWay();
        state.begins = outcome;
      }
      if (state.begins === 'claimed') return empty(taskId);
      const task = await inner.load(taskId, context);
      if (!task) throw idRefused();
      if (isFirst && isUnderWay(task)) throw underWay();
      return task;
    },
    async save(task, context) {
      const state = stateIn(context);
      if (state.begins === 'claimed') {
        state.begins = 'begun';
        return;
      }
      if (refusedDraft(state)) return;
      if (isBegunBy(state)) task.metadata = { ...task.metadata, [mark]: state.dialect };
      await inner.save(task, context);
    },
    list: (params, context) => inner.list(params, context),
  };
}

/** The executor, to which a task that the call begins is as new as one under an id of the SDK's. */
export function beginningExecutor(inner: AgentExecutor): AgentExecutor {
  return {
    execute(given, bus) {
      const { request, taskId, contextId, context, referenceTasks } = given;
      const isNew = isBegunBy(stateIn(context));
      const seen = isNew ? new RequestContext(request, taskId, contextId, context, undefined, referenceTasks) : given;
      return inner.execute(seen, bus);
    },
    cancelTask: (taskId, bus) => inner.cancelTask(taskId, bus),
  };
}

const isBegunBy = ({ begins }: CallState) => begins === 'begun';

const empty = (id: string): Task => ({
  id,
  contextId: '',
  status: undefined,
  artifacts: [],
  history: [],
  metadata: undefined,
});

/** What the call has begun under an id that turned out not to be free. What it comes to is not kept. */
export const refusedDraft = ({ draft }: CallState): TaskDraft | undefined => (draft?.taken ? draft : undefined);

/** Says the same whoever's the id is, and whether or not its task is still kept. */
function idRefused() {
  return refuse('task-id-refused', 'The task cannot be begun under this id; choose another, such as a UUID');
}
