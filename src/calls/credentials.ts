import type { Request } from 'express';
import type { Credentials } from '../security/authenticator.ts';
import { oneOf } from '../security/metadataToken.ts';

/**
 * What the headers of an HTTP request say about who makes it.
 * @throws Unauthenticated where a header is there twice and says different things
 */
export function credentialsIn({ headersDistinct: said }: Pick<Request, 'headersDistinct'>): Credentials {
  return { authorization: oneOf(said.authorization ?? []), apiKey: oneOf(said['x-api-key'] ?? []) };
}
