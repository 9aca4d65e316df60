import { tellDrained } from '../calls/streamAccount.ts';
import type { Config } from '../config/config.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import { createLogger, type Logger } from '../telemetry/logger.ts';
import { type Metrics, startMetrics } from '../telemetry/metrics.ts';
import { startTracing } from '../telemetry/tracing.ts';
import { Closing } from './closing.ts';

/** What every part is built on. */
export interface Foundation {
  config: Config;
  logger: Logger;
  metrics: Metrics;
  instruments: Instruments;
  closing: Closing;
  /** Tells in words what takes a while. */
  report(line: string): void;
  /** Aborts where the start is to end before its time. */
  signal?: AbortSignal;
}

export function layFoundation(config: Config, report: Foundation['report'], signal?: AbortSignal): Foundation {
  const closing = new Closing();
  const logger = createLogger(config.LOG_LEVEL);
  closing.add(startTracing());
  closing.add({ close: async () => tellDrained(logger) });
  const metrics = closing.add(startMetrics({ tellsQueryText: config.TRACE_QUERY_TEXT }));
  return { config, logger, metrics, instruments: metrics.instruments, closing, report, signal };
}
