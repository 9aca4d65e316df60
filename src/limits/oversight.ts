import type { Audit } from '../audit/audited.ts';
import type { RateLimits } from './rateLimits.ts';

/** What watches over every call, whichever door it comes through. */
export interface Oversight {
  /** Absent where no audit trail is kept. */
  audit?: Audit | undefined;
  /** Absent where nothing is limited. */
  rates?: RateLimits | undefined;
}
