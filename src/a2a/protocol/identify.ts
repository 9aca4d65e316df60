import type { Request } from 'express';
import { credentialsIn } from '../../calls/credentials.ts';
import type { Taken } from '../../calls/inFlight.ts';
import { streamRefused } from '../../calls/streamEnd.ts';
import type { Authenticate, Credentials } from '../../security/authenticator.ts';
import { metadataToken } from '../../security/metadataToken.ts';
import type { Principal } from '../../security/principal.ts';
import { recheck, recheckMs } from '../../security/recheck.ts';

/** A request whose caller is known. */
export interface Identified<Body> {
  body: Body;
  credentials: Credentials;
  principal: Principal;
}

/**
 * Finds out who sends an HTTP request: whoever names itself in a header is known before its body is read, and may send
 * a longer one.
 * @param paramsIn where the body may hold a token in `metadata`
 * @throws AccessRefused, and what reading the body throws
 */
export async function identify<Body>(
  request: Request,
  authenticate: Authenticate,
  readBody: (isKnown: boolean) => Promise<Body>,
  paramsIn: (body: Body) => unknown[],
): Promise<Identified<Body>> {
  const headers = credentialsIn(request);
  const known = Object.values(headers).some(Boolean) ? await authenticate(headers) : undefined;
  const body = await readBody(known !== undefined);
  const token = metadataToken(paramsIn(body));
  const credentials = { ...headers, metadataToken: token };
  const principal = known && token === undefined ? known : await authenticate(credentials);
  return { body, credentials, principal };
}

/**
 * Makes a stream of a request: it ends when its caller's token expires or key is revoked, and with the service. Called
 * by what serves the stream, for only that knows for sure that there is one.
 */
export function becomeStream(taken: Taken, authenticate: Authenticate, credentials: Credentials): void {
  taken.stream();
  const stop = recheck(
    () => authenticate(credentials),
    recheckMs,
    (refused) => taken.abort(streamRefused(refused)),
  );
  void taken.closed.then(stop);
}
