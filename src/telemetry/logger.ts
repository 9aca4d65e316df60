import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { traceId } from './tracing.ts';

export type { Logger };

/** What must not be in a log, at the top of an entry or one level down: secrets, and what users sent. */
const secret = ['authorization', 'cookie', 'token', 'password', 'body', 'params', 'metadata', 'variables', 'statement'];

/**
 * A logger of JSON lines, each with the trace id of the active span.
 * @param destination where the lines go; standard output unless said otherwise.
 */
export function createLogger(level: Config['LOG_LEVEL'], destination?: DestinationStream): Logger {
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: () => {
      const id = traceId();
      return id ? { traceId: id } : {};
    },
    redact: {
      paths: [
        ...secret.flatMap((name) => [name, `*.${name}`]),
        '*.headers.authorization',
        '*.headers.cookie',
        'headers["x-api-key"]',
        '*.headers["x-api-key"]',
      ],
      censor: '[redacted]',
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Logs faults of what tries again many times a second: once in ten seconds. */
export function sparing(logger: Logger, message: string): (error: unknown) => void {
  let last = 0;
  return (error) => {
    if (Date.now() - last < 10_000) return;
    last = Date.now();
    logger.error({ err: error }, message);
  };
}
