import { ConcordError, type ErrorCode } from '../base/errors.ts';
import type { Scope } from '../security/principal.ts';
import type { Call } from './call.ts';

/** @throws ConcordError with the method's own code where the principal lacks the scope */
export function requireScope({ principal }: Pick<Call, 'principal'>, scope: Scope, code: ErrorCode): void {
  if (principal.scopes.has(scope)) return;
  throw new ConcordError(code, `The caller lacks the scope ${scope}`, {
    reason: 'missing-scope',
    retryable: false,
  });
}
