import type { IncomingMessage } from 'node:http';
import type { Credentials } from '../security/authenticator.ts';
import { certificateOf } from '../security/certificates/clientCertificate.ts';
import { oneOf } from '../security/metadataToken.ts';

/**
 * What the headers of an HTTP request, and the certificate of its connection, say about who makes it.
 * @throws Unauthenticated where a header is there twice and says different things
 */
export function credentialsIn(request: IncomingMessage): Credentials {
  const { headersDistinct: said } = request;
  return {
    authorization: oneOf(said.authorization ?? []),
    apiKey: oneOf(said['x-api-key'] ?? []),
    certificate: certificateOf(request),
  };
}
