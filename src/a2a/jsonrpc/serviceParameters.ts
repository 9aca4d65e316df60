import { Extensions } from '@a2a-js/sdk';
import type { Request, Response } from 'express';
import type { ServiceParameters } from '../../calls/call.ts';
import { EXTENSION_URI } from '../protocol/extension.ts';

/**
 * What an HTTP request says of the protocol in its headers; A2A 1.0, section 3.2.6. Where it asks for the extension, its answer names it, whether
 * the method is the protocol's or the extension's own.
 */
export function serviceParameters(request: Request, response: Response): ServiceParameters {
  const current = request.get('A2A-Extensions');
  const legacy = request.get('X-A2A-Extensions');
  const name = current === undefined && legacy !== undefined ? 'X-A2A-Extensions' : 'A2A-Extensions';
  const extensions = Extensions.parseServiceParameter(current ?? legacy);
  if (extensions.includes(EXTENSION_URI)) response.set(name, EXTENSION_URI);
  return { version: request.get('A2A-Version'), extensions };
}
