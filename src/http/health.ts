import { endsWithin } from '../base/endsWithin.ts';
import { ConcordError, ErrorCode } from '../base/errors.ts';
import { orAborted } from '../base/orAborted.ts';
import type { Logger } from '../telemetry/logger.ts';

/** Settles when what it checks is well; throws when it isn't. What it gives is shown, so it holds nothing secret. */
export type Check = () => Promise<Record<string, unknown> | undefined>;

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

/** What a check is given, so that the answer comes before a probe of a second gives up. */
const limitMs = 800;

/** After so long a check that hangs is given up, and the next probe begins another. */
const hangingMs = 10_000;

/** A health of named checks. One that hangs is begun once, and has failed for each probe that waits for it. */
export function createHealth(checks: Record<string, Check>, logger: Logger, patienceMs = limitMs): Health {
  const begun = new Map(Object.entries(checks).map(([name, check]) => [name, shared(check)]));
  const failing = new Set<string>();

  async function run(name: string, check: Check): Promise<CheckResult> {
    const start = performance.now();
    const elapsed = () => Math.round(performance.now() - start);
    try {
      const checked = check();
      if (!(await endsWithin(checked, patienceMs)))
        throw new ConcordError(ErrorCode.InternalError, `no answer within ${patienceMs} ms`);
      const details = await checked;
      if (failing.delete(name)) logger.info({ check: name }, 'a readiness check is well again');
      return { ...details, ok: true, ms: elapsed() };
    } catch (error) {
      failing.add(name);
      // Probes come every few seconds: a line each, and no stack.
      logger.warn({ check: name, reason: reasonOf(error) }, 'a readiness check failed');
      // Other errors may tell of addresses and credentials, and anyone may ask for readiness.
      const reason = error instanceof ConcordError ? error.message : 'failed; the log says why';
      return { ok: false, ms: elapsed(), reason };
    }
  }
  return async () => {
    const results = await Promise.all([...begun].map(async ([name, check]) => [name, await run(name, check)] as const));
    return { ready: results.every(([, { ok }]) => ok), checks: Object.fromEntries(results) };
  };
}

function reasonOf(error: unknown): string {
  const { message = String(error), code } = error as { message?: string; code?: unknown };
  const [line = ''] = message.split('\n');
  return typeof code === 'string' ? `${line} (${code})` : line;
}

/** The same check for all who ask while it runs: each would take another connection to a database that hangs. */
function shared(check: Check): Check {
  let running: ReturnType<Check> | undefined;
  return () => {
    if (running !== undefined) return running;
    const own = orAborted(check(), AbortSignal.timeout(hangingMs)).finally(() => {
      if (running === own) running = undefined;
    });
    running = own;
    return own;
  };
}
