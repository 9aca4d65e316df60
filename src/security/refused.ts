import { ConcordError, ErrorCode } from '../base/errors.ts';
import type { Reason } from '../base/reasons.ts';

/** Why nobody is recognized in a request; HTTP 401. The words name neither keys nor what would have been right. */
const unauthenticated = {
  missing: 'Credentials are needed: a bearer token in Authorization, an API key in X-API-Key, or metadata.token',
  malformed: 'The credentials are not a well-formed token or API key',
  'unsupported-scheme': 'Authorization must be of the scheme Bearer',
  'not-accepted': 'Credentials of this kind are not taken here',
  unsigned: 'The token is not signed',
  'wrong-algorithm': 'The token is signed by an algorithm that does not fit the key',
  'unknown-key': 'The key is not known here',
  'bad-signature': 'The signature of the token is wrong',
  expired: 'The token has expired; get a new one',
  'no-expiry': 'The token has no time of expiry (exp)',
  'not-yet-valid': 'The token is not valid yet',
  'wrong-issuer': 'The token comes from another issuer',
  'wrong-audience': 'The token is meant for another audience',
  'revoked-key': 'The API key has been revoked',
  'credentials-differ': 'The request carries credentials of different principals; send one',
  'unknown-certificate': 'The certificate names nobody who is known here',
} as const satisfies Partial<Record<Reason, string>>;

/** Why somebody who is recognized is not served at all; HTTP 403. */
const forbidden = {
  'no-tenant': 'The token names no tenant',
  'no-agent': 'The token names no agent',
  'bad-claims': 'The claims of the token on scopes or graphs cannot be read',
  'tenant-not-allowed': 'The tenant is not served here',
  'missing-scope': 'The caller lacks the scope knowledge:query',
  'foreign-caller': 'X-Agent-ID names another agent than the credentials',
} as const satisfies Partial<Record<Reason, string>>;

export type UnauthenticatedReason = keyof typeof unauthenticated;
export type ForbiddenReason = keyof typeof forbidden;
export type RefusalReason = UnauthenticatedReason | ForbiddenReason | 'identities-unavailable';

/**
 * A request that is refused for who makes it, before any method is looked at. It is answered under an HTTP status of
 * its own with a JSON-RPC error of code -32600, whose `data.reason` says why.
 */
export abstract class AccessRefused extends ConcordError {
  /** The HTTP status. */
  abstract readonly status: 401 | 403 | 503;
  /** The header `WWW-Authenticate`; RFC 6750, section 3. */
  readonly challenge?: string;
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string, retryable: boolean, options?: ErrorOptions) {
    super(ErrorCode.InvalidRequest, message, { reason, retryable }, options);
    this.reason = reason;
  }
}

interface Retry {
  /** Whether the same request may be let in later. */
  retryable?: boolean;
}

/** Nobody is recognized in the request. */
export class Unauthenticated extends AccessRefused {
  readonly status = 401;
  override readonly challenge: string;

  constructor(reason: UnauthenticatedReason, { retryable = false, ...options }: ErrorOptions & Retry = {}) {
    super(reason, unauthenticated[reason], retryable, options);
    this.name = 'Unauthenticated';
    const fault = `, error="invalid_token", error_description="${this.message}"`;
    this.challenge = `Bearer realm="concord"${reason === 'missing' ? '' : fault}`;
  }
}

/** The caller is recognized, and nothing here is for it. */
export class Forbidden extends AccessRefused {
  readonly status = 403;

  constructor(reason: ForbiddenReason) {
    super(reason, forbidden[reason], false);
    this.name = 'Forbidden';
  }
}

/** Who calls cannot be found out now: the key set or the database doesn't answer. No fault of the caller's. */
export class IdentitiesUnavailable extends AccessRefused {
  readonly status = 503;

  constructor(options?: ErrorOptions) {
    const message = 'Credentials cannot be checked at the moment; send the request again';
    super('identities-unavailable', message, true, options);
    this.name = 'IdentitiesUnavailable';
  }
}
