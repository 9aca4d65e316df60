import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Algorithm } from 'jsonwebtoken';
import { StartupError } from '../base/errors.ts';

/**
 * A key that tokens are verified with, and the algorithms it is good for. They follow from the kind of key and never
 * from the token: else a token signed by HMAC with a public key, which everybody has, would pass.
 */
export interface VerificationKey {
  key: KeyObject;
  algorithms: Algorithm[];
}

/** Where a verifier finds keys. */
export interface KeySource {
  /** The key of a `kid`, or of a token without one; undefined when there is none. */
  find(kid: string | undefined): Promise<VerificationKey | undefined> | VerificationKey | undefined;
}

const rsa: Algorithm[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const rsaPss: Algorithm[] = ['PS256', 'PS384', 'PS512'];
const curves: Record<string, Algorithm[]> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
};

/** RFC 7518, sections 3.2 and 3.3. */
const shortestSecretBytes = 32;
const shortestRsaBits = 2048;

/** @throws StartupError when the secret is too short to resist guessing */
export function secretKey(secret: string): VerificationKey {
  const bytes = Buffer.from(secret);
  if (bytes.length < shortestSecretBytes) {
    throw new StartupError(
      `JWT_SECRET is too short: at least ${shortestSecretBytes} bytes, as 'openssl rand -base64 32' makes them`,
    );
  }
  return { key: createSecretKey(bytes), algorithms: ['HS256', 'HS384', 'HS512'] };
}

/**
 * The PEM itself, in which a line may end in `\n` as environment files write it, or the file that holds it.
 * @param name of the setting
 * @throws StartupError where the file cannot be read
 */
export async function pemText(name: string, setting: string): Promise<string> {
  if (setting.includes('-----BEGIN')) return setting.replaceAll('\\n', '\n');
  return await readFile(setting, 'utf8').catch((error: Error) => {
    throw new StartupError(`${name}: ${setting} cannot be read (${error.message})`);
  });
}

/**
 * The key of a PEM text: a public key or a certificate.
 * @throws StartupError when it is none, is private, or is of no use for tokens
 */
export function pemKey(pem: string): VerificationKey {
  if (isPrivate(pem)) {
    throw new StartupError('JWT_PUBLIC_KEY is a private key; give its public key, and keep this one secret');
  }
  const key = parsed(pem);
  const found = key && publicKey(key);
  if (found) return found;
  throw new StartupError(
    `JWT_PUBLIC_KEY is not the PEM of an RSA key of ${shortestRsaBits} bits or more, or of an EC key on P-256, P-384 or P-521`,
  );
}

/**
 * What a public key is good for; undefined if it is of no use.
 * @param only the one algorithm that its owner has set for it
 */
export function publicKey(key: KeyObject, only?: string): VerificationKey | undefined {
  const algorithms = algorithmsOf(key).filter((each) => only === undefined || each === only);
  return algorithms.length === 0 ? undefined : { key, algorithms };
}

function algorithmsOf({ asymmetricKeyType: kind, asymmetricKeyDetails: details }: KeyObject): Algorithm[] {
  if (kind === 'ec') return curves[details?.namedCurve ?? ''] ?? [];
  if ((details?.modulusLength ?? 0) < shortestRsaBits) return [];
  if (kind === 'rsa') return rsa;
  return kind === 'rsa-pss' ? rsaPss : [];
}

function isPrivate(pem: string): boolean {
  try {
    createPrivateKey(pem);
    return true;
  } catch {
    // One that is encrypted cannot be read, but says what it is.
    return pem.includes('PRIVATE KEY');
  }
}

function parsed(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}
