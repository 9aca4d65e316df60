import type { ErrorCode } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import type { Scope } from '../security/principal.ts';
import type { Call } from './call.ts';

/** @throws ConcordError with the method's own code where the principal lacks the scope */
export function requireScope({ principal }: Pick<Call, 'principal'>, scope: Scope, code: ErrorCode): void {
  if (principal.scopes.has(scope)) return;
  throw refuse('missing-scope', `The caller lacks the scope ${scope}`, {}, { code });
}
