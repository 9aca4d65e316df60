import type { IncomingMessage } from 'node:http';
import type { Credentials } from '../security/authenticator.ts';
import { certificateOf } from '../security/certificates/clientCertificate.ts';
import { oneOf } from '../security/metadataToken.ts';

/**
 * Who opens a socket. Browsers cannot set headers on an upgrade, so `connectionParams` may hold what the headers would:
 * `authorization`, and `apiKey` or `x-api-key`, capitals or not. What is said twice must be the same.
 * @throws Unauthenticated when it isn't, or is no text
 */
export function socketCredentials(
  request: IncomingMessage,
  connectionParams: Record<string, unknown> = {},
): Credentials {
  const given = [...Object.entries(request.headers), ...Object.entries(connectionParams)];
  const said = (...names: string[]) =>
    oneOf(given.map(([name, value]) => (names.includes(name.toLowerCase()) ? (value ?? undefined) : undefined)));
  return {
    authorization: said('authorization'),
    apiKey: said('x-api-key', 'apikey'),
    certificate: certificateOf(request),
  };
}
