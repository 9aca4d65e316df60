import type { Instruments } from '../telemetry/instruments.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { StreamEnd } from './streamEnd.ts';

/** The accounting of one open stream: metrics, and one log line when it ends. */
export interface StreamAccount {
  /** @param events absent means one */
  sent(events?: number): void;
  ended(end: StreamEnd): void;
}

/**
 * @param method what the stream answers, for the log: one of few names
 * @param onEnd told how many events were sent, and why no more
 */
export function openStream(
  method: string,
  instruments: Instruments,
  logger: Logger,
  onEnd?: (events: number, reason: string) => void,
): StreamAccount {
  const start = performance.now();
  let events = 0;
  instruments.openSubscriptions.add(1);
  return {
    sent(more = 1) {
      events += more;
      instruments.eventsSent.add(more);
    },
    ended({ reason, fault }) {
      instruments.openSubscriptions.add(-1);
      instruments.closedSubscriptions.add(1, { reason });
      const entry = { method, closeReason: reason, events, ms: Math.round(performance.now() - start) };
      if (reason === 'draining') drained.set(logger, drainedOf(logger) + 1);
      else if (fault) logger.error({ ...entry, err: fault }, 'stream failed');
      else logger.info(entry, 'stream ended');
      onEnd?.(events, reason);
    },
  };
}

/** Streams that a shutdown has ended: thousands end at once, which are told in one line. */
const drained = new WeakMap<Logger, number>();
const drainedOf = (logger: Logger) => drained.get(logger) ?? 0;

/** Logs how many streams the shutdown has ended, if any; once. */
export function tellDrained(logger: Logger): void {
  const streams = drainedOf(logger);
  drained.delete(logger);
  if (streams > 0) logger.info({ closeReason: 'draining', streams }, 'streams ended');
}
