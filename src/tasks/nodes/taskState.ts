import { TaskState, taskStateFromJSON } from '@a2a-js/sdk';

const prefix = 'TASK_STATE_';

/** The states that a task doesn't leave again, as they stand on its node. */
export const endedStates = ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'];

/** A state as it stands on the node: `COMPLETED`, `INPUT_REQUIRED`. */
export function stateName(state: TaskState): string {
  return (TaskState[state] ?? '').replace(prefix, '');
}

export function stateOf(name: string): TaskState {
  return taskStateFromJSON(prefix + name);
}

export function isEnded(state: string): boolean {
  return endedStates.includes(state);
}

/** Whether nobody works on a task of this state: it has ended, or waits for its agent. */
export function isResting(state: string): boolean {
  return state === 'INPUT_REQUIRED' || isEnded(state);
}
