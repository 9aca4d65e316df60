import { isObject } from '../../base/isObject.ts';
import { isReason, type Reason } from '../../base/reasons.ts';
import { quote } from '../delegation/protocols/failures.ts';
import { uuidOf } from '../envelopes/uuidOf.ts';
import type { RunRow } from './nodes/workflows.ts';
import type { Run, RunKey, RunState, StepError } from './plan/course.ts';
import { saidIn } from './results.ts';

/**
 * The id of a step's task: the same on every replica, so that of two that begin one at once one does; and nobody else
 * can know it beforehand.
 * @param seed of the workflow
 */
export function runId(seed: string, { step, item, attempt }: RunKey): string {
  return uuidOf(JSON.stringify([seed, step, item, attempt]));
}

/** How a task of a step stands, by what was read of it. */
export function runOf({ state, at, said, length: _, ...key }: RunRow): Run {
  return { ...key, state: stateOf(state, at ?? 0, said) };
}

function stateOf(state: string | null, at: number, said: string | null): RunState {
  if (state === 'COMPLETED') return { phase: 'completed' };
  if (state === 'INPUT_REQUIRED') return { phase: 'waiting', text: quote(saidIn(said).text) };
  if (state === 'FAILED') return { phase: 'failed', at, error: errorIn(said, 'agent-failed') };
  if (state === 'REJECTED') return { phase: 'failed', at, error: errorIn(said, 'step-rejected') };
  if (state === 'CANCELED')
    return { phase: 'failed', at, error: { reason: 'step-cancelled', message: 'It was cancelled' } };
  return { phase: 'working' };
}

/** What a status says of why it has failed. */
function errorIn(said: string | null, usual: Reason): StepError {
  const { text, data } = saidIn(said);
  const error = data.find((each) => isObject(each) && isObject(each.error)) as { error: unknown } | undefined;
  const told = isObject(error?.error) && isObject(error.error.data) ? error.error.data : {};
  return {
    reason: isReason(told.reason) ? told.reason : usual,
    message: quote(text),
    ...(typeof told.retryable === 'boolean' && { retryable: told.retryable }),
  };
}
