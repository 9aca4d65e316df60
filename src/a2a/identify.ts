import type { Request } from 'express';
import { streamRefused } from '../knowledge/streamEnd.ts';
import type { Authenticate, Credentials } from '../security/authenticator.ts';
import { metadataToken } from '../security/metadataToken.ts';
import type { Principal } from '../security/principal.ts';
import { recheck, recheckMs } from '../security/recheck.ts';

/** A request whose caller is known. */
export interface Identified<Body> {
  body: Body;
  credentials: Credentials;
  principal: Principal;
}

/**
 * Finds out who sends an HTTP request: whoever names itself in a header is known before its body is read.
 * @param paramsIn where the body may hold a token in `metadata`
 * @throws AccessRefused, and what reading the body throws
 */
export async function identify<Body>(
  request: Request,
  authenticate: Authenticate,
  readBody: () => Promise<Body>,
  paramsIn: (body: Body) => unknown[],
): Promise<Identified<Body>> {
  const headers: Credentials = {
    authorization: request.get('Authorization'),
    apiKey: request.get('X-API-Key'),
  };
  const known = Object.values(headers).some(Boolean) ? await authenticate(headers) : undefined;
  const body = await readBody();
  const token = metadataToken(paramsIn(body));
  const credentials = { ...headers, metadataToken: token };
  const principal = known && token === undefined ? known : await authenticate(credentials);
  return { body, credentials, principal };
}

/**
 * Ends a stream whose caller's token expires or whose key is revoked.
 * @returns what stops looking
 */
export function endWhenRefused(
  authenticate: Authenticate,
  credentials: Credentials,
  abort: (reason: Error) => void,
): () => void {
  return recheck(
    () => authenticate(credentials),
    recheckMs,
    (refused) => abort(streamRefused(refused)),
  );
}
