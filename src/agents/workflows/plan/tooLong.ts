import type { ConcordError } from '../../../base/errors.ts';
import { refuse } from '../../../base/reasons.ts';

/** @param limit characters */
export function resultsTooLong(limit: number): ConcordError {
  const message = `The results that the step needs are longer than ${limit} characters; let steps make less`;
  return refuse('workflow-results', message, { limit });
}
