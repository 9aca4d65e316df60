import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Logger } from '../telemetry/logger.ts';
import { traceId } from '../telemetry/tracing.ts';

/** The answer where there is nothing. */
export const notFound: RequestHandler = (_request, response) => {
  response.status(404).json({ error: 'There is nothing at this address; GET / lists what there is' });
};

/** The answer when a handler failed: a caller's fault in its words, Concord's own only in the log. */
export function answerError(logger: Logger): ErrorRequestHandler {
  return (error, _request, response, _next) => {
    const { status, expose, message } = error as { status?: number; expose?: boolean; message?: string };
    const callers = status !== undefined && status >= 400 && status < 500;
    if (!callers) logger.error({ err: error }, 'request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (callers) response.status(status).json({ error: expose === false || !message ? 'Bad request' : message });
    else response.status(500).json({ error: 'Internal error', traceId: traceId() });
  };
}
