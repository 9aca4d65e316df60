import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { Logger } from 'pino';
import type { Instruments } from '../telemetry/instruments.ts';
import type { Standing } from './windows.ts';

/** What a window is, and whose. */
export interface Counted extends Pick<Standing, 'policy' | 'limit' | 'window'> {
  /** Tells windows of a policy apart: the method. */
  of: string;
  key: string;
}

/** Neither a request nor a token waits longer for the store than this. */
const answerMs = 250;
/** So long a store that has failed isn't asked again. */
const restMs = 1_000;
const longestReconnectMs = 5_000;

/** As `Windows.take` counts: a window begins with what comes first, and what is refused isn't counted. */
const take = `
local taken = tonumber(redis.call('GET', KEYS[1]) or '0')
local left = redis.call('PTTL', KEYS[1])
local isExceeded = taken >= tonumber(ARGV[1])
if not isExceeded then
  taken = taken + tonumber(ARGV[3])
  if left > 0 then redis.call('INCRBY', KEYS[1], ARGV[3])
  else redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[2]) left = tonumber(ARGV[2]) end
end
return {isExceeded and 1 or 0, taken, left}`;
const settle = `
local taken = redis.call('GET', KEYS[1])
if taken then redis.call('SET', KEYS[1], math.max(0, tonumber(taken) + tonumber(ARGV[1])), 'KEEPTTL') end`;

export interface LimitStoreParts {
  instruments: Pick<Instruments, 'limitStoreFailures'>;
  logger: Pick<Logger, 'warn' | 'info'>;
}

/**
 * What addresses and agents have taken of their limits, in a Redis that all replicas share. While it is away or slow
 * nobody waits for it: each replica then counts for itself.
 */
export class LimitStore {
  private readonly client: ReturnType<typeof createClient>;
  private isAway = false;
  private restsUntil = 0;

  /** @param url `redis://` or, over TLS, `rediss://`; with the user and password, where it wants them */
  constructor(
    url: string,
    private readonly parts: LimitStoreParts,
  ) {
    this.client = createClient({
      url,
      disableOfflineQueue: true,
      socket: { reconnectStrategy: (tries) => Math.min(100 * 2 ** Math.min(tries, 6), longestReconnectMs) },
    });
    this.client.on('error', (error: Error) => this.away(error));
    this.client.on('ready', () => this.back());
  }

  /** Begins to connect, and waits a second at most: without the store all is served as well. */
  async start(): Promise<void> {
    const connected = this.client.connect().catch(() => {});
    await Promise.race([connected, sleep(restMs, undefined, { ref: false })]);
  }

  /** @returns undefined where the store is away: what a replica has counted itself holds then */
  async take(counted: Counted, amount: number): Promise<Standing | undefined> {
    const { policy, limit, window } = counted;
    const sent = [limit, window * 1_000, amount].map(String);
    const answer = (await this.ask(take, counted, sent)) as [number, number, number] | undefined;
    if (answer === undefined) return undefined;
    const [isExceeded, taken, resetMs] = answer;
    return { policy, limit, window, remaining: Math.max(0, limit - taken), resetMs, isExceeded: isExceeded === 1 };
  }

  /** As `Windows.settle`; nobody waits for it. */
  settle(counted: Counted, amount: number): void {
    void this.ask(settle, counted, [String(amount)]);
  }

  async close(): Promise<void> {
    this.client.destroy();
  }

  private async ask(script: string, counted: Counted, sent: string[]): Promise<unknown> {
    if (!this.client.isReady || performance.now() < this.restsUntil) {
      this.parts.instruments.limitStoreFailures.add(1);
      return undefined;
    }
    try {
      const answer = await within(this.client.eval(script, { keys: [keyOf(counted)], arguments: sent }));
      this.back();
      return answer;
    } catch (error) {
      this.restsUntil = performance.now() + restMs;
      this.parts.instruments.limitStoreFailures.add(1);
      this.away(error as Error);
      return undefined;
    }
  }

  /** Told once, until it is back. */
  private away({ message }: Error): void {
    if (this.isAway) return;
    this.isAway = true;
    this.parts.logger.warn({ fault: message }, 'The store of rate limits is away; each replica counts for itself');
  }

  private back(): void {
    if (this.isAway) this.parts.logger.info('The store of rate limits is back');
    this.isAway = false;
  }
}

async function within<T>(work: Promise<T>): Promise<T> {
  const over = new AbortController();
  work.catch(() => {});
  const late = sleep(answerMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`It has not answered within ${answerMs} ms`);
  });
  late.catch(() => {});
  return Promise.race([work, late]).finally(() => over.abort());
}

/** Without who it is in the clear, and of one length. */
function keyOf({ policy, of, key }: Counted): string {
  return `concord:limit:${policy}:${createHash('sha256')
    .update(JSON.stringify([of, key]))
    .digest('base64url')}`;
}
