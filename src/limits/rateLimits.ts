import type { ConcordError } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import type { Config } from '../config/config.ts';
import type { Principal } from '../security/principal.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import { networkOf } from './address.ts';
import type { LimitStore } from './limitStore.ts';
import { noteRetry, noteStanding } from './requestStanding.ts';
import { SharedWindows } from './sharedWindows.ts';
import type { Standing } from './windows.ts';

export type RateLimitConfig = Pick<
  Config,
  'RATE_LIMIT_ADDRESS' | 'RATE_LIMIT_AGENT' | 'RATE_LIMIT_METHODS' | 'QUOTA_PER_DAY' | 'MODEL_TOKENS_PER_DAY'
>;

const minute = 60;
const day = 86_400;

/**
 * How many requests an address and an agent may make, of each method and in all, and how many tokens of the language
 * model an agent may use; what no setting limits is free.
 */
export class RateLimits {
  private readonly ofAddress: SharedWindows | undefined;
  private readonly ofAgent: SharedWindows | undefined;
  private readonly ofDay: SharedWindows | undefined;
  private readonly ofTokens: SharedWindows | undefined;
  private readonly ofMethods: ReadonlyMap<string, SharedWindows>;

  /**
   * @param now milliseconds of a clock that doesn't jump
   * @param store absent where each replica counts for itself
   */
  constructor(
    config: RateLimitConfig,
    private readonly instruments: Pick<Instruments, 'rateLimited'>,
    now?: () => number,
    store?: LimitStore,
  ) {
    const windows = (policy: string, limit: number | undefined, window: number, of = '') =>
      limit === undefined ? undefined : new SharedWindows({ policy, limit, window, of }, store, now);
    this.ofAddress = windows('address', config.RATE_LIMIT_ADDRESS, minute);
    this.ofAgent = windows('agent', config.RATE_LIMIT_AGENT, minute);
    this.ofDay = windows('day', config.QUOTA_PER_DAY, day);
    this.ofTokens = windows('tokens', config.MODEL_TOKENS_PER_DAY, day);
    this.ofMethods = new Map(
      [...config.RATE_LIMIT_METHODS].map(([method, limit]) => [
        method,
        new SharedWindows({ policy: 'method', limit, window: minute, of: method }, store, now),
      ]),
    );
  }

  /**
   * Counts a request of an address, whoever makes it.
   * @throws ConcordError `rate-limited`
   */
  async admitAddress(address: string | undefined): Promise<void> {
    if (this.ofAddress !== undefined && address !== undefined)
      this.within(await this.ofAddress.take(networkOf(address)));
  }

  /**
   * Counts a call of an agent.
   * @throws ConcordError `rate-limited`, `quota-used`
   */
  async admitCall(principal: Principal, method: string): Promise<void> {
    const key = keyOf(principal);
    // What one refuses the next doesn't count.
    for (const windows of [this.ofMethods.get(method), this.ofAgent, this.ofDay])
      if (windows) this.within(await windows.take(key));
  }

  /**
   * Counts tokens that an agent is about to use of the language model.
   * @throws ConcordError `model-budget-used`
   */
  async admitTokens(principal: Principal, tokens: number): Promise<void> {
    const standing = await this.ofTokens?.take(keyOf(principal), tokens);
    if (!standing?.isExceeded) return;
    const { policy, limit, resetMs } = standing;
    this.instruments.rateLimited.add(1, { policy });
    const retryAfterMs = Math.ceil(resetMs);
    noteRetry(retryAfterMs);
    const message = `The budget of ${limit} tokens of the language model in a day is used; ask again later`;
    throw refuse('model-budget-used', message, { limit, policy, retryAfterMs });
  }

  /** Counts how many more it has used than was expected; negative where it was less. */
  settleTokens(principal: Principal, tokens: number): void {
    this.ofTokens?.settle(keyOf(principal), tokens);
  }

  private within(standing: Standing): void {
    noteStanding(standing);
    const { policy, limit, window, resetMs, isExceeded } = standing;
    if (!isExceeded) return;
    this.instruments.rateLimited.add(1, { policy });
    const reason = policy === 'day' ? 'quota-used' : 'rate-limited';
    const message = `The limit of ${limit} requests in ${window} s is reached (${policy}); send it again later`;
    throw refuse(reason, message, { limit, policy, retryAfterMs: Math.ceil(resetMs) });
  }
}

const keyOf = ({ tenant, agentId }: Principal) => JSON.stringify([tenant, agentId ?? null]);

/** Whether a request was one too many. */
export function isOverLimit({ data: { reason } }: ConcordError): boolean {
  return reason === 'rate-limited' || reason === 'quota-used';
}
