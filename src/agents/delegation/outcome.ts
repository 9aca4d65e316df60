import { ConcordError } from '../../base/errors.ts';
import { isObject } from '../../base/isObject.ts';
import { refuse } from '../../base/reasons.ts';
import type { SkillOutcome } from '../../skills/skill.ts';
import { quote } from './protocols/failures.ts';
import type { RemoteStatus } from './protocols/remoteAgent.ts';

/** @throws ConcordError where the agent's task has ended otherwise than well */
export function outcomeOf({ state, text, data }: RemoteStatus, about: { agent: string }): SkillOutcome {
  const delegation = { ...about, ...(data.length > 0 && { said: data }) };
  if (state === 'completed') {
    return { state, artifacts: [], text: text || `Done by ${about.agent}`, data: { delegation } };
  }
  if (state === 'input-required') {
    return { state, artifacts: [], text: text || `${about.agent} needs to know more`, data: { delegation } };
  }
  const said = text === '' ? '' : `: ${quote(text)}`;
  if (state === 'canceled')
    throw refuse('agent-cancelled', `The task was cancelled at the agent${said}`, { delegation });
  if (state === 'rejected') throw refuse('agent-refused', `The agent has rejected the task${said}`, { delegation });
  throw refuse('agent-failed', `The task has failed at the agent${said}`, { delegation, ...retryableOf(data) });
}

/** What Concord's own agents say of why a task has failed. */
function retryableOf(said: unknown[]): { retryable?: boolean } {
  for (const each of said) {
    const error = isObject(each) ? each.error : undefined;
    const data = isObject(error) ? error.data : undefined;
    if (isObject(data) && typeof data.retryable === 'boolean') return { retryable: data.retryable };
  }
  return {};
}

/** Another attempt may do better, as far as is known. */
export function isWorthRepeating(error: unknown): error is ConcordError {
  if (!(error instanceof ConcordError)) return false;
  const { reason, retryable } = error.data;
  if (reason === 'agent-failed' || reason === 'delegation-unknown')
    return retryable !== false || reason !== 'agent-failed';
  return reason?.startsWith('agent-') === true && retryable === true;
}

export const isDraining = (reason: unknown) => reason instanceof ConcordError && reason.data.reason === 'draining';

export function unknownOutcome(cause?: unknown): ConcordError {
  const message = 'The replica died while it sent the message, and the agent cannot be asked whether it has come';
  return refuse('delegation-unknown', message, {}, { cause });
}

export function tooLate(deadline: string | undefined): ConcordError {
  const message = deadline === undefined ? 'The delegation took too long' : `The deadline ${deadline} is over`;
  return refuse('delegation-deadline', message);
}
