import jwt, { type JwtHeader, type JwtPayload } from 'jsonwebtoken';
import { isScope, type Principal, visibleGraphs } from './principal.ts';
import { Forbidden, type ForbiddenReason, Unauthenticated, type UnauthenticatedReason } from './refused.ts';
import type { KeySource, VerificationKey } from './verificationKey.ts';

/** Which claim says what. */
interface ClaimNames {
  tenant: string;
  agent: string;
  scope: string;
  graphs: string;
}

/** What a token must say to be taken. */
export interface TokenRules {
  issuer: string;
  /** A token must be meant for one of these. */
  audience: [string, ...string[]];
  /** How far apart the clocks may be. */
  clockSkewSeconds: number;
  claims: ClaimNames;
}

/** The principal of a JSON web token (RFC 7519). It throws Unauthenticated, Forbidden or IdentitiesUnavailable. */
export type VerifyToken = (token: string) => Promise<Principal>;

/** Longer than any HTTP header may be; a token in `metadata` has no other limit. */
const longest = 16_384;
/** Of a tenant or an agent. */
const longestName = 1_000;

/**
 * Verifies tokens with the keys of a source. The algorithm must be one that the key is good for, and `exp` must be
 * there.
 * @param now milliseconds since 1970
 */
export function tokenVerifier(keys: KeySource, rules: TokenRules, now: () => number = Date.now): VerifyToken {
  return async (token) => {
    const header = headerOf(token);
    const key = await keys.find(header.kid);
    if (!key) throw new Unauthenticated('unknown-key', { retryable: true });
    if (!key.algorithms.some((each) => each === header.alg)) throw new Unauthenticated('wrong-algorithm');
    return principalOf(verified(token, key, rules, now()), rules.claims);
  };
}

function headerOf(token: string): JwtHeader {
  if (token.length > longest) throw new Unauthenticated('malformed');
  const header: unknown = decoded(token)?.header;
  if (!isHeader(header)) throw new Unauthenticated('malformed');
  if (header.alg.toLowerCase() === 'none' || token.endsWith('.')) throw new Unauthenticated('unsigned');
  // RFC 7515, section 4.1.11: extensions that must be understood, and none is.
  if (header.crit !== undefined) throw new Unauthenticated('malformed');
  return header;
}

function decoded(token: string): { header: unknown } | null {
  try {
    return jwt.decode(token, { complete: true });
  } catch {
    return null;
  }
}

function isHeader(header: unknown): header is JwtHeader {
  if (typeof header !== 'object' || header === null) return false;
  const { alg, kid } = header as Record<string, unknown>;
  return typeof alg === 'string' && (kid === undefined || typeof kid === 'string');
}

function verified(token: string, { key, algorithms }: VerificationKey, rules: TokenRules, now: number): JwtPayload {
  const payload = signed(() =>
    jwt.verify(token, key, {
      algorithms,
      issuer: rules.issuer,
      audience: rules.audience,
      clockTolerance: rules.clockSkewSeconds,
      clockTimestamp: Math.floor(now / 1_000),
    }),
  );
  if (typeof payload !== 'object' || payload === null) throw new Unauthenticated('malformed');
  // The library takes a token without it as good for ever.
  if (!Number.isFinite(payload.exp)) throw new Unauthenticated('no-expiry');
  return payload;
}

function signed<Payload>(verify: () => Payload): Payload {
  try {
    return verify();
  } catch (error) {
    throw new Unauthenticated(reasonOf(error), { cause: error });
  }
}

function reasonOf(error: unknown): UnauthenticatedReason {
  if (error instanceof jwt.TokenExpiredError) return 'expired';
  if (error instanceof jwt.NotBeforeError) return 'not-yet-valid';
  const message = error instanceof Error ? error.message : '';
  if (message.startsWith('jwt issuer invalid')) return 'wrong-issuer';
  if (message.startsWith('jwt audience invalid')) return 'wrong-audience';
  if (message === 'invalid signature') return 'bad-signature';
  return 'malformed';
}

/**
 * The principal of a verified token. Scopes that Concord doesn't have are left out; no claim on graphs means all of the
 * tenant's.
 * @throws Forbidden when the tenant or the agent is missing, or the claims on scopes or graphs cannot be read: what
 *   cannot be read must not count as unlimited
 */
function principalOf(payload: JwtPayload, names: ClaimNames): Principal {
  const claim = (name: string): unknown => (Object.hasOwn(payload, name) ? payload[name] : undefined);
  const graphs = claim(names.graphs);
  return {
    tenant: nameIn(claim(names.tenant), 'no-tenant'),
    agentId: nameIn(claim(names.agent), 'no-agent'),
    scopes: new Set(words(claim(names.scope) ?? []).filter(isScope)),
    ...(graphs !== undefined && { graphs: visibleGraphs(words(graphs)) }),
    ...(payload.exp !== undefined && { expiresAt: payload.exp * 1_000 }),
  };
}

function nameIn(value: unknown, missing: ForbiddenReason): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > longestName) throw new Forbidden(missing);
  // Half a character would be another one in the database.
  if (!value.isWellFormed()) throw new Forbidden(missing);
  return value;
}

/**
 * A list of strings, or one string of words with spaces between them, as OAuth writes scopes (RFC 6749, section 3.3).
 */
function words(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ').filter(Boolean);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new Forbidden('bad-claims');
}
