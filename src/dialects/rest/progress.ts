import { type TaskStatus as CoreStatus, type Message, TaskState } from '@a2a-js/sdk';
import { isObject } from '../../base/isObject.ts';
import type { State, Status } from './messages.ts';

const statuses: Partial<Record<TaskState, Status>> = {
  [TaskState.TASK_STATE_SUBMITTED]: 'created',
  [TaskState.TASK_STATE_WORKING]: 'in_progress',
  [TaskState.TASK_STATE_INPUT_REQUIRED]: 'input_required',
  [TaskState.TASK_STATE_AUTH_REQUIRED]: 'input_required',
  [TaskState.TASK_STATE_COMPLETED]: 'completed',
  [TaskState.TASK_STATE_CANCELED]: 'cancelled',
  [TaskState.TASK_STATE_FAILED]: 'failed',
  [TaskState.TASK_STATE_REJECTED]: 'failed',
};

/** How far a task is, in words, where it says nothing of it itself. */
const steps: Record<Status | 'shaping', Pick<State, 'progress' | 'status_message'>> = {
  created: { progress: 0.1, status_message: 'Understanding the request' },
  in_progress: { progress: 0.7, status_message: 'Running it' },
  shaping: { progress: 0.9, status_message: 'Shaping the answer' },
  input_required: { progress: 0.1, status_message: 'The task waits for an answer' },
  completed: { progress: 1, status_message: 'Task completed successfully' },
  failed: { progress: 1, status_message: 'The task failed' },
  cancelled: { progress: 1, status_message: 'The task was cancelled' },
};

/**
 * How far a task is. A skill that tells it puts `progress`, from 0 to 1, into the data of its status and says the rest
 * in words; of the others only the state is known.
 */
export function stateOf(status: CoreStatus | undefined): State {
  const name = statuses[status?.state ?? TaskState.TASK_STATE_SUBMITTED] ?? 'created';
  const { text, data } = saidIn(status?.message);
  const step = steps[name];
  const told = name === 'in_progress' || name === 'input_required' ? progressIn(data) : undefined;
  return { status: name, progress: told ?? step.progress, status_message: text || step.status_message };
}

/** The same once something has come of it. */
export function shaping(state: State): State {
  const { progress, status_message } = steps.shaping;
  return state.progress >= progress ? state : { ...state, progress, status_message };
}

/** Whether a task has ended, or waits for its agent. */
export function isOver({ status }: State): boolean {
  return status !== 'created' && status !== 'in_progress';
}

/** What a message says, in words and in data. */
export function saidIn(message: Message | undefined): { text: string; data: Record<string, unknown> | undefined } {
  const contents = message?.parts.map(({ content }) => content) ?? [];
  const data: unknown = contents.find((content) => content?.$case === 'data')?.value;
  const texts = contents.flatMap((content) => (content?.$case === 'text' ? [content.value] : []));
  return { text: texts.join('\n'), data: isObject(data) ? data : undefined };
}

function progressIn(data: Record<string, unknown> | undefined): number | undefined {
  const progress = data?.progress;
  return typeof progress === 'number' && progress >= 0 && progress <= 1 ? progress : undefined;
}
