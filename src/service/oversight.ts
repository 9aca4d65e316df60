import type { Database } from '../graph/database/database.ts';
import type { Oversight } from '../limits/oversight.ts';
import { RateLimits } from '../limits/rateLimits.ts';
import { openAudit } from './audit.ts';
import type { Foundation } from './foundation.ts';

/** Begins to watch over the calls, as the settings say. */
export function openOversight(foundation: Foundation, database: Database): Oversight {
  const { config, instruments } = foundation;
  const { RATE_LIMIT_ADDRESS, RATE_LIMIT_AGENT, RATE_LIMIT_METHODS, QUOTA_PER_DAY, MODEL_TOKENS_PER_DAY } = config;
  const most = RATE_LIMIT_ADDRESS ?? RATE_LIMIT_AGENT ?? QUOTA_PER_DAY ?? MODEL_TOKENS_PER_DAY;
  const isLimited = most ?? RATE_LIMIT_METHODS.size > 0;
  return {
    audit: openAudit(foundation, database),
    rates: isLimited === false ? undefined : new RateLimits(config, instruments),
  };
}
