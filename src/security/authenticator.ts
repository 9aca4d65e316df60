import type { X509Certificate } from 'node:crypto';
import { isApiKey } from './apiKey.ts';
import type { VerifyApiKey } from './apiKeyVerifier.ts';
import type { VerifyToken } from './jwt.ts';
import { isSamePrincipal, type Principal } from './principal.ts';
import { AccessRefused, Unauthenticated } from './refused.ts';
import { requireServed } from './tenant.ts';

/** What a request says about who makes it, as it stands there. */
export interface Credentials {
  /** The header `Authorization`: `Bearer` and a token or an API key. */
  authorization?: string;
  /** The header `X-API-Key`. */
  apiKey?: string;
  /** `params.metadata.token`: a token or an API key, for agents that cannot set headers. */
  metadataToken?: string;
  /** That of the caller's end of the connection, from an authority that is trusted. */
  certificate?: X509Certificate | undefined;
}

/**
 * Who makes a request. All credentials that it carries must be good, and of one principal.
 * It throws Unauthenticated (401), Forbidden (403) or IdentitiesUnavailable (503).
 */
export type Authenticate = (credentials: Credentials) => Promise<Principal>;

export interface AuthenticatorParts {
  /** Absent where no key for tokens is set. */
  tokens?: VerifyToken;
  /** Absent where API keys are not taken. */
  apiKeys?: VerifyApiKey;
  /** Absent where certificates mean nobody. */
  holderOf?: ((certificate: X509Certificate) => Principal | undefined) | undefined;
  /** The tenants that are served; absent means any. */
  tenants?: ReadonlySet<string>;
  /** Told of each refusal. */
  refused(error: AccessRefused): void;
}

export function createAuthenticator({ tokens, apiKeys, holderOf, tenants, refused }: AuthenticatorParts): Authenticate {
  const token = (text: string) => verifierOf(isApiKey(text) ? apiKeys : tokens)(text);

  /** Each one in turn, so that what is refused is refused for the first fault, always the same. */
  async function principal({ authorization, apiKey, metadataToken, certificate }: Credentials): Promise<Principal> {
    const found: Principal[] = [];
    if (authorization !== undefined) found.push(await token(bearer(authorization)));
    if (apiKey !== undefined) found.push(await verifierOf(apiKeys)(apiKey));
    if (metadataToken !== undefined) found.push(await token(metadataToken));
    const holder = certificate && holderOf?.(certificate);
    // Beside a token or a key, whose rights count, a certificate says who holds it.
    if (holder && !found.every((each) => isSameAgent(each, holder))) throw new Unauthenticated('credentials-differ');
    if (holder && found.length === 0) found.push(holder);
    const [first, ...others] = found;
    if (!first) throw new Unauthenticated(holderOf && certificate ? 'unknown-certificate' : 'missing');
    if (!others.every((other) => isSamePrincipal(first, other))) throw new Unauthenticated('credentials-differ');
    requireServed(first, tenants);
    return first;
  }

  return async (credentials) => {
    try {
      return await principal(credentials);
    } catch (error) {
      if (error instanceof AccessRefused) refused(error);
      throw error;
    }
  };
}

function isSameAgent(one: Principal, other: Principal): boolean {
  return one.tenant === other.tenant && one.agentId === other.agentId;
}

function verifierOf(verify: VerifyToken | VerifyApiKey | undefined): VerifyToken {
  if (!verify) throw new Unauthenticated('not-accepted');
  return verify;
}

/** RFC 6750, section 2.1. */
function bearer(authorization: string): string {
  const [, scheme = '', token = ''] = /^(\S+)(?: +(\S+))? *$/.exec(authorization) ?? [];
  if (scheme === '' || token === '') throw new Unauthenticated('malformed');
  if (scheme.toLowerCase() !== 'bearer') throw new Unauthenticated('unsupported-scheme');
  return token;
}
