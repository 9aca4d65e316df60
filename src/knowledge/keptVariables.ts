import { ErrorCode } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';

/** Characters of variables, as JSON. */
const longest = 100_000;

/**
 * Makes sure that variables aren't too long to be kept for as long as somebody follows what they are of.
 * @throws ConcordError -32012 `validation`
 */
export function requireShort(variables: Record<string, unknown> | undefined): void {
  if (variables === undefined || JSON.stringify(variables).length <= longest) return;
  const message = `The variables have more than ${longest} characters as JSON`;
  throw refuse('validation', message, {}, { code: ErrorCode.KnowledgeSubscription });
}
