import type { RequestHandler, Response } from 'express';

/**
 * Closes each connection behind its answer while the service drains: who calls again connects anew, and is led to
 * another replica once the balancer has heard of it.
 */
export function parting(draining: () => boolean): RequestHandler {
  return (_request, response, next) => {
    const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => Response;
    // At the last moment: the service may have begun to drain since the request came.
    response.writeHead = (...head: unknown[]) => {
      if (draining()) response.setHeader('Connection', 'close');
      return writeHead(...head);
    };
    next();
  };
}
