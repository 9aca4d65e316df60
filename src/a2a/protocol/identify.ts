import type { Request } from 'express';
import { credentialsIn } from '../../calls/credentials.ts';
import type { Authenticate, Credentials } from '../../security/authenticator.ts';
import { metadataToken } from '../../security/metadataToken.ts';
import type { Principal } from '../../security/principal.ts';

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
