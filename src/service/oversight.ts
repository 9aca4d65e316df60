import type { Database } from '../graph/database/database.ts';
import { LimitStore } from '../limits/limitStore.ts';
import type { Oversight } from '../limits/oversight.ts';
import { RateLimits } from '../limits/rateLimits.ts';
import { openAudit } from './audit.ts';
import type { Foundation } from './foundation.ts';

/** Begins to watch over the calls, as the settings say. */
export async function openOversight(foundation: Foundation, database: Database): Promise<Oversight> {
  const { config } = foundation;
  const { RATE_LIMIT_ADDRESS, RATE_LIMIT_AGENT, RATE_LIMIT_METHODS, QUOTA_PER_DAY, MODEL_TOKENS_PER_DAY } = config;
  const most = RATE_LIMIT_ADDRESS ?? RATE_LIMIT_AGENT ?? QUOTA_PER_DAY ?? MODEL_TOKENS_PER_DAY;
  const isLimited = most !== undefined || RATE_LIMIT_METHODS.size > 0;
  return { audit: openAudit(foundation, database), rates: isLimited ? await openRates(foundation) : undefined };
}

async function openRates({ config, instruments, logger, closing }: Foundation): Promise<RateLimits> {
  const { RATE_LIMIT_STORE: url } = config;
  if (url === undefined) return new RateLimits(config, instruments);
  const store = closing.add(new LimitStore(url, { instruments, logger }));
  await store.start();
  return new RateLimits(config, instruments, undefined, store);
}
