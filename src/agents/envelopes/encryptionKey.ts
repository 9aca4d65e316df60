import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { StartupError } from '../../base/errors.ts';
import { thumbprint } from '../../security/signingKey.ts';
import { pemText } from '../../security/verificationKey.ts';

/** The key that others encrypt for Concord with. */
export interface EncryptionKey {
  key: KeyObject;
  /** Of the key, RFC 7518, section 4: those by which the key of a message may be encrypted. */
  algorithms: string[];
  /** The public key, RFC 7517. */
  jwk: JsonWebKey;
}

/**
 * @param setting AGENT_ENCRYPTION_KEY: a private key in PEM, or the file that holds it
 * @throws StartupError where it is no private key that can be encrypted for
 */
export async function encryptionKey(setting: string): Promise<EncryptionKey> {
  const key = privateKey(await pemText('AGENT_ENCRYPTION_KEY', setting));
  const algorithms = encryptionAlgorithms(key);
  if (!algorithms) {
    throw new StartupError('AGENT_ENCRYPTION_KEY must be of P-256, P-384, P-521, X25519, or RSA of 2048 bits or more');
  }
  const jwk = createPublicKey(key).export({ format: 'jwk' });
  return { key, algorithms, jwk: { ...jwk, kid: thumbprint(jwk), alg: algorithms[0], use: 'enc' } };
}

const curves = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

/** By which algorithms a message is encrypted for a key, the one that is used first; undefined where it can't be. */
export function encryptionAlgorithms({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string[] | undefined {
  const isCurve = asymmetricKeyType === 'ec' && curves.has(asymmetricKeyDetails?.namedCurve ?? '');
  if (isCurve || asymmetricKeyType === 'x25519') return ['ECDH-ES+A256KW', 'ECDH-ES+A128KW', 'ECDH-ES'];
  const isRsa = asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2_048;
  return isRsa ? ['RSA-OAEP-256'] : undefined;
}

function privateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // Without the cause, which could quote the key.
    throw new StartupError('AGENT_ENCRYPTION_KEY is not a private key in PEM, without a passphrase');
  }
}
