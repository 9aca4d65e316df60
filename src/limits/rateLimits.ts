import type { ConcordError } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import type { Config } from '../config/config.ts';
import type { Principal } from '../security/principal.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import { networkOf } from './address.ts';
import { noteRetry, noteStanding } from './requestStanding.ts';
import { type Standing, Windows } from './windows.ts';

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
  private readonly ofAddress: Windows | undefined;
  private readonly ofAgent: Windows | undefined;
  private readonly ofDay: Windows | undefined;
  private readonly ofTokens: Windows | undefined;
  private readonly ofMethods: ReadonlyMap<string, Windows>;

  /** @param now milliseconds of a clock that doesn't jump */
  constructor(
    config: RateLimitConfig,
    private readonly instruments: Pick<Instruments, 'rateLimited'>,
    now?: () => number,
  ) {
    const windows = (policy: string, limit: number | undefined, window: number) =>
      limit === undefined ? undefined : new Windows({ policy, limit, window }, now);
    this.ofAddress = windows('address', config.RATE_LIMIT_ADDRESS, minute);
    this.ofAgent = windows('agent', config.RATE_LIMIT_AGENT, minute);
    this.ofDay = windows('day', config.QUOTA_PER_DAY, day);
    this.ofTokens = windows('tokens', config.MODEL_TOKENS_PER_DAY, day);
    const methods = [...config.RATE_LIMIT_METHODS];
    this.ofMethods = new Map(
      methods.map(([method, limit]) => [method, new Windows({ policy: 'method', limit, window: minute }, now)]),
    );
  }

  /**
   * Counts a request of an address, whoever makes it.
   * @throws ConcordError `rate-limited`
   */
  admitAddress(address: string | undefined): void {
    if (this.ofAddress !== undefined && address !== undefined) this.within(this.ofAddress.take(networkOf(address)));
  }

  /**
   * Counts a call of an agent.
   * @throws ConcordError `rate-limited`, `quota-used`
   */
  admitCall(principal: Principal, method: string): void {
    const key = keyOf(principal);
    // What one refuses the next doesn't count.
    for (const windows of [this.ofMethods.get(method), this.ofAgent, this.ofDay])
      if (windows) this.within(windows.take(key));
  }

  /**
   * Counts tokens that an agent is about to use of the language model.
   * @throws ConcordError `model-budget-used`
   */
  admitTokens(principal: Principal, tokens: number): void {
    const standing = this.ofTokens?.take(keyOf(principal), tokens);
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
