import type { ConcordError } from '../base/errors.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import { statusOf } from './statuses.ts';

/** Each is counted once, though it may be seen where it is found, and where it is answered. */
const counted = new WeakSet<ConcordError>();

/** Counts an error by which somebody is refused for who it is, or for what it may not do. */
export function countRefusal({ authenticationFailures }: Instruments, error: ConcordError): void {
  const { reason } = error.data;
  if (reason === undefined || counted.has(error)) return;
  if (!isRefusal(error) && reason !== 'identities-unavailable') return;
  counted.add(error);
  authenticationFailures.add(1, { reason });
}

/** Whether somebody is refused for who it is, or for what it may not do. */
export function isRefusal(error: ConcordError): boolean {
  const { http } = statusOf(error);
  return http === 401 || http === 403;
}
