import { createHash, createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import { StartupError } from '../base/errors.ts';
import { pemText } from './verificationKey.ts';

/** The key that agent cards and push notifications are signed with. */
export interface SigningKey {
  key: KeyObject;
  /** RFC 7518: `ES256`, `ES384`, `ES512`, `EdDSA` or `RS256`. */
  alg: string;
  /** The key's name, by RFC 7638. */
  kid: string;
  /** The public key as a JSON Web Key Set, RFC 7517. */
  keySet: { keys: JsonWebKey[] };
}

/**
 * @param setting AGENT_CARD_KEY: a private key in PEM, or the file that holds it
 * @throws StartupError where it is no private key that is signed with
 */
export async function signingKey(setting: string): Promise<SigningKey> {
  const key = privateKey(await pemText('AGENT_CARD_KEY', setting));
  const alg = algorithmOf(key);
  const jwk = createPublicKey(key).export({ format: 'jwk' });
  const kid = thumbprint(jwk);
  return { key, alg, kid, keySet: { keys: [{ ...jwk, kid, alg, use: 'sig' }] } };
}

/** Where the public key is found of a service that is reached at `url`. */
export function keySetUrl(url: string): string {
  return `${url.replace(/\/+$/, '')}/.well-known/jwks.json`;
}

/** A JSON Web Token of the claims, RFC 7519. @param jku where the public key is found */
export function signedToken(signingKey: SigningKey, claims: object, jku: string): string {
  const { alg, kid } = signingKey;
  const signed = `${base64(JSON.stringify({ alg, kid, typ: 'JWT', jku }))}.${base64(JSON.stringify(claims))}`;
  return `${signed}.${signatureOf(signingKey, signed)}`;
}

/** A JSON Web Signature without its payload, RFC 7515, appendix F. @param jku where the public key is found */
export function detachedSignature(signingKey: SigningKey, payload: string, jku: string): string {
  const { alg, kid } = signingKey;
  const header = base64(JSON.stringify({ alg, kid, jku }));
  return `${header}..${signatureOf(signingKey, `${header}.${base64(payload)}`)}`;
}

const base64 = (text: string) => Buffer.from(text).toString('base64url');

function signatureOf({ key, alg }: SigningKey, signed: string): string {
  const hash = alg === 'EdDSA' ? null : `sha${alg.slice(2)}`;
  // A JWS has the two numbers of an ECDSA signature side by side; other keys pass over that.
  return sign(hash, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
}

function privateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // Without the cause, which could quote the key.
    throw new StartupError('AGENT_CARD_KEY is not a private key in PEM, without a passphrase');
  }
}

const curves: Record<string, string> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType === 'ed25519') return 'EdDSA';
  if (asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048) return 'RS256';
  const curve = asymmetricKeyType === 'ec' ? curves[asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
  if (curve) return curve;
  throw new StartupError('AGENT_CARD_KEY must be of P-256, P-384, P-521, Ed25519, or RSA of 2048 bits or more');
}

/** RFC 7638: the key's own name. */
export function thumbprint(jwk: JsonWebKey): string {
  const members = jwk.kty === 'RSA' ? ['e', 'kty', 'n'] : ['crv', 'kty', 'x', ...(jwk.y ? ['y'] : [])];
  const required = Object.fromEntries(members.map((name) => [name, jwk[name]]));
  return createHash('sha256').update(JSON.stringify(required)).digest('base64url');
}
