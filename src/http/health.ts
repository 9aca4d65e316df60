import { ConcordError, ErrorCode } from '../base/errors.ts';
import type { Logger } from '../telemetry/logger.ts';

/** Settles when what it checks is well; throws when it isn't. What it gives is shown, so it holds nothing secret. */
export type Check = (signal: AbortSignal) => Promise<Record<string, unknown> | undefined>;

export interface CheckResult {
  ok: boolean;
  ms: number;
  reason?: string;
  [detail: string]: unknown;
}

export interface Readiness {
  ready: boolean;
  checks: Record<string, CheckResult>;
}

/** Runs every check, at the same time. */
export type Health = () => Promise<Readiness>;

/** A health of named checks, each of which has failed after `limitMs`. */
export function createHealth(checks: Record<string, Check>, logger: Logger, limitMs = 2_000): Health {
  async function run(name: string, check: Check): Promise<CheckResult> {
    const start = performance.now();
    const elapsed = () => Math.round(performance.now() - start);
    try {
      const details = await within(limitMs, check);
      return { ...details, ok: true, ms: elapsed() };
    } catch (error) {
      logger.warn({ check: name, err: error }, 'a readiness check failed');
      // Other errors may tell of addresses and credentials, and anyone may ask for readiness.
      const reason = error instanceof ConcordError ? error.message : 'failed; the log says why';
      return { ok: false, ms: elapsed(), reason };
    }
  }
  return async () => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await run(name, check)] as const),
    );
    return { ready: results.every(([, { ok }]) => ok), checks: Object.fromEntries(results) };
  };
}

async function within(limitMs: number, check: Check): Promise<Record<string, unknown> | undefined> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new ConcordError(ErrorCode.InternalError, `no answer within ${limitMs} ms`);
      reject(error);
      controller.abort(error);
    }, limitMs);
  });
  try {
    return await Promise.race([check(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
