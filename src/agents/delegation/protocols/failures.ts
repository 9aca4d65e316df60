import type { ConcordError } from '../../../base/errors.ts';
import { refuse } from '../../../base/reasons.ts';
import { withoutControls } from '../../cards/controls.ts';

/** What is quoted of a stranger's text. */
const longestQuote = 500;

export function unreachable(message: string, details: object = {}): ConcordError {
  return refuse('agent-unreachable', message, { ...details });
}

/** The agent has answered with an error. @param said the agent's own words */
export function refused(said: string, details: { retryable?: boolean; [detail: string]: unknown } = {}): ConcordError {
  return refuse('agent-refused', `The agent refuses: ${quote(said)}`, details);
}

/** The agent has answered with what makes no sense. */
export function brokenAnswer(message: string, cause?: unknown): ConcordError {
  return refuse('agent-answer', `The agent's answer makes no sense: ${message}`, {}, { cause });
}

export function quote(text: string): string {
  const plain = withoutControls(text.toWellFormed());
  return plain.length > longestQuote ? `${plain.slice(0, longestQuote).toWellFormed()}…` : plain;
}
