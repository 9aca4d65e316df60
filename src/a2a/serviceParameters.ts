import { Extensions } from '@a2a-js/sdk';
import type { Request, Response } from 'express';
import type { ServiceParameters } from '../knowledge/call.ts';

/** What an HTTP request says of the protocol in its headers; its answer names the extensions that were activated. */
export function serviceParameters(request: Request, response: Response): ServiceParameters {
  const current = request.get('A2A-Extensions');
  const legacy = request.get('X-A2A-Extensions');
  const name = current === undefined && legacy !== undefined ? 'X-A2A-Extensions' : 'A2A-Extensions';
  const all = new Set<string>();
  return {
    version: request.get('A2A-Version'),
    extensions: Extensions.parseServiceParameter(current ?? legacy),
    activated(uris) {
      for (const uri of uris) all.add(uri);
      if (all.size > 0 && !response.headersSent) response.set(name, [...all].join(', '));
    },
  };
}
