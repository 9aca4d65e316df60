import cors from 'cors';
import type { RequestHandler } from 'express';

/** What callers send beyond what every web page may send. */
const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'X-API-Key',
  'X-Agent-ID',
  'A2A-Version',
  'A2A-Extensions',
  'X-A2A-Extensions',
  'Last-Event-ID',
  'X-Required-Certainty',
  'X-Max-Age-Seconds',
  'X-As-Of',
  'X-After-Revision',
  'Apollo-Require-Preflight',
  'traceparent',
  'tracestate',
];

/** What answers tell in headers beyond what every web page may read. */
const exposedHeaders = [
  'Retry-After',
  'Location',
  'WWW-Authenticate',
  'ETag',
  'Last-Event-ID',
  'A2A-Extensions',
  'X-A2A-Extensions',
];

/**
 * Lets web pages of these origins call, and read what is answered, errors too. Credentials travel in headers that the
 * page itself sets: cookies and the like are neither needed nor let in.
 */
export function crossOrigin(origins: ReadonlySet<string>): RequestHandler {
  return cors({
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders,
    exposedHeaders,
    credentials: false,
    maxAge: 600,
  });
}
