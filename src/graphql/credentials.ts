import type { IncomingHttpHeaders } from 'node:http';
import type { Credentials } from '../security/authenticator.ts';
import { Unauthenticated } from '../security/refused.ts';

/**
 * Who opens a socket. Browsers cannot set headers on an upgrade, so `connectionParams` may hold what the headers would: `authorization`, and
 * `apiKey` or `x-api-key`, capitals or not. What is said twice must be the same.
 * @throws Unauthenticated when it isn't, or is no text
 */
export function socketCredentials(
  headers: IncomingHttpHeaders,
  connectionParams: Record<string, unknown> = {},
): Credentials {
  const given = [...Object.entries(headers), ...Object.entries(connectionParams)];
  const said = (...names: string[]): string | undefined => {
    const values = new Set(
      given.filter(([name]) => names.includes(name.toLowerCase())).map(([, value]) => value),
    );
    values.delete(undefined);
    values.delete(null);
    const [value, another] = values;
    if (another !== undefined) throw new Unauthenticated('credentials-differ');
    if (value !== undefined && typeof value !== 'string') throw new Unauthenticated('malformed');
    return value;
  };
  return { authorization: said('authorization'), apiKey: said('x-api-key', 'apikey') };
}
