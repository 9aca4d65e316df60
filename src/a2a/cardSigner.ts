import { createHash, createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type AgentCard, generateAgentCardSignature } from '@a2a-js/sdk';
import { StartupError } from '../errors.ts';

/** Signs agent cards; A2A 1.0, section 8.4. */
export interface CardSigner {
  /** @param jku where the public key is found */
  sign(card: AgentCard, jku: string): Promise<AgentCard>;
  /** The public key as a JSON Web Key Set, RFC 7517. */
  keySet: { keys: JsonWebKey[] };
}

/**
 * @param setting AGENT_CARD_KEY: a private key in PEM, whose lines may end in `\n` as environment files write them, or the file that holds it
 * @throws StartupError where it is no private key that cards are signed with
 */
export async function cardSigner(setting: string): Promise<CardSigner> {
  const key = privateKey(await pemText(setting));
  const alg = algorithmOf(key);
  const jwk = createPublicKey(key).export({ format: 'jwk' });
  const kid = thumbprint(jwk);
  return {
    sign: (card, jku) => generateAgentCardSignature(key, { alg, kid, typ: 'JOSE', jku })(card),
    keySet: { keys: [{ ...jwk, kid, alg, use: 'sig' }] },
  };
}

async function pemText(setting: string): Promise<string> {
  if (setting.includes('-----BEGIN')) return setting.replaceAll('\\n', '\n');
  return await readFile(setting, 'utf8').catch((error: Error) => {
    throw new StartupError(`AGENT_CARD_KEY: ${setting} cannot be read (${error.message})`);
  });
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
  throw new StartupError(
    'AGENT_CARD_KEY must be of P-256, P-384, P-521, Ed25519, or RSA of 2048 bits or more',
  );
}

/** RFC 7638: the key's own name. */
function thumbprint(jwk: JsonWebKey): string {
  const members = jwk.kty === 'RSA' ? ['e', 'kty', 'n'] : ['crv', 'kty', 'x', ...(jwk.y ? ['y'] : [])];
  const required = Object.fromEntries(members.map((name) => [name, jwk[name]]));
  return createHash('sha256').update(JSON.stringify(required)).digest('base64url');
}
