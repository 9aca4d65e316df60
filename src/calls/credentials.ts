import type { Request } from 'express';
import type { Credentials } from '../security/authenticator.ts';

/** What the headers of an HTTP request say about who makes it. */
export function credentialsIn(request: Pick<Request, 'get'>): Credentials {
  return { authorization: request.get('Authorization'), apiKey: request.get('X-API-Key') };
}
