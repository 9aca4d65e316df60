import { isRetryable } from './errors.ts';

/** When to try again what failed for a passing reason. */
export interface RetrySettings {
  /** In all, the first one included. */
  attempts: number;
  /** Milliseconds before the second attempt; they double with each further one. */
  baseMs: number;
  /** Milliseconds at most. */
  maxMs: number;
}

/** Eight seconds in all: a replica that restarts is waited for. */
export const defaultRetry: RetrySettings = { attempts: 6, baseMs: 250, maxMs: 10_000 };

/**
 * Milliseconds to wait after so many failures in a row; half of it is chance, so that clients don't come back all at
 * once.
 */
export function backoffMs(failures: number, { baseMs, maxMs }: RetrySettings, random = Math.random): number {
  return Math.min(maxMs, baseMs * 2 ** (failures - 1)) * (0.5 + random() / 2);
}

/**
 * Makes the attempts that the settings allow while they fail for a passing reason.
 * @param settings with `patienceMs`, after so many milliseconds none is begun any more
 * @throws the last attempt's error; the reason of the signal
 */
export async function retrying<T>(
  attempt: () => Promise<T>,
  settings: RetrySettings & { patienceMs?: number },
  signal: AbortSignal | undefined,
): Promise<T> {
  const { attempts, patienceMs = Number.POSITIVE_INFINITY } = settings;
  const begun = performance.now();
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (failures >= attempts || performance.now() - begun > patienceMs || !isRetryable(error)) throw error;
      await pause(backoffMs(failures, settings), signal);
    }
  }
}

/** @throws the reason of the signal, when it aborts meanwhile */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  });
}
