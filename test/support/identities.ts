import jwt from 'jsonwebtoken';
import { scopes } from '../../src/security/principal.ts';

const secret = 'a secret of at least thirty-two characters';
const issuer = 'https://issuer.test';
const audience = 'concord';

/** Settings of a Concord whose callers need a token. */
export const identities = { JWT_SECRET: secret, JWT_ISSUER: issuer, JWT_AUDIENCE: audience };

/** A token that such a Concord takes, with every scope unless the claims say which. */
export function tokenOf(claims: object, options: jwt.SignOptions = {}): string {
  return jwt.sign({ scope: scopes.join(' '), ...claims }, secret, {
    issuer,
    audience,
    expiresIn: '5m',
    ...options,
  });
}

/** The header that carries it. */
export function bearerOf(claims: object, options?: jwt.SignOptions): { authorization: string } {
  return { authorization: `Bearer ${tokenOf(claims, options)}` };
}
