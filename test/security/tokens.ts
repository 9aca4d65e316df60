import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import jwt, { type Algorithm } from 'jsonwebtoken';
import type { TokenRules } from '../../src/security/jwt.ts';

/** The rules that the tests' tokens follow. */
export const rules: TokenRules = {
  issuer: 'https://issuer.example',
  audience: ['https://concord.example'],
  clockSkewSeconds: 30,
  claims: { tenant: 'tenant', agent: 'sub', scope: 'scope', graphs: 'graphs' },
};

/** Seconds since 1970. */
export const now = Math.floor(Date.now() / 1_000);

/** The claims of a good token. */
export const good = {
  iss: rules.issuer,
  aud: rules.audience[0],
  sub: 'scout',
  tenant: 'default',
  scope: 'knowledge:query knowledge:update openid',
  exp: now + 600,
};

export const secret = 'a secret of the tests, long enough to be one';
export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

export function ec(namedCurve: string): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve });
}

/** A token over claims that may replace those of a good one, or by `undefined` leave them out. */
export function token(
  claims: Record<string, unknown> = {},
  key: string | KeyObject = secret,
  algorithm: Algorithm = 'HS256',
  kid?: string,
): string {
  const payload = JSON.parse(JSON.stringify({ ...good, ...claims })) as object;
  return jwt.sign(payload, key, { algorithm, noTimestamp: true, ...(kid !== undefined && { keyid: kid }) });
}

/** A token of given parts, however wrong. */
export function compact(header: object, payload: unknown, signature: string): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(payload)}.${signature}`;
}

export function pemOf(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}
