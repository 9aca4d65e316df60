import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { type AgentCard, canonicalizeAgentCard } from '@a2a-js/sdk';
import { base64url, decodeProtectedHeader, flattenedVerify } from 'jose';
import { z } from 'zod';
import { refuse } from '../../base/reasons.ts';
import { publicKey } from '../../security/verificationKey.ts';
import type { CardSignature } from '../../wire/agents.ts';
import { line } from './shapes.ts';

/** Keys in a set, and signatures of a card, that are looked at. */
const mostKeys = 20;
const mostSignatures = 5;

/** Characters of bytes in base64url. */
const base64Length = (bytes: number) => Math.ceil((bytes * 4) / 3);
const number = (bytes: number) => z.string().max(base64Length(bytes), `is longer than ${bytes} bytes`).optional();
const coordinate = z.string().max(200).optional();

/**
 * A public key; RFC 7517. What it is made of is bounded, for reading a long one takes seconds in which nobody else is
 * answered: the modulus of RSA to 8,192 bits, its exponent to 64.
 */
const jwk = z
  .looseObject({
    kty: z.string().max(20),
    kid: z.string().max(500).optional(),
    alg: z.string().max(20).optional(),
    crv: z.string().max(20).optional(),
    n: number(1_024),
    e: number(8),
    x: coordinate,
    y: coordinate,
  })
  .refine((key) => !('d' in key || 'k' in key || 'p' in key), 'is a private or a shared key; give the public one');

/** A JSON Web Key Set of public keys; RFC 7517. */
export const keySet = z.looseObject({ keys: z.array(jwk).max(mostKeys, `has more than ${mostKeys}`) });
export type KeySet = z.output<typeof keySet>;

/** A signature; A2A 1.0, section 4.4.7. */
const signatures = z.looseObject({
  signatures: z
    .array(z.looseObject({ protected: line(4_096), signature: line(4_096), header: z.looseObject({}).nullish() }))
    .max(mostSignatures, `has more than ${mostSignatures}`)
    .nullish(),
});

const protectedHeader = z.looseObject({ alg: z.string(), kid: z.string().optional(), jku: z.string().optional() });

/**
 * Where the keys of a signature come from.
 * @param jku where the signature says they are, which is only a stranger's word
 * @returns undefined where nobody knows them
 */
export type KeysOf = (jku: string | undefined) => Promise<KeySet | undefined>;

/** What the signatures of a card came to. */
interface Verified {
  signature: CardSignature;
  /** Of a card that is verified: what its signature covers, with the signatures. */
  signed?: object;
}

/**
 * Verifies the signatures of a card of A2A 1.0 (section 8.4): one that holds is enough. Those of a card of another
 * shape are left unchecked, for over what A2A 1.0 knows of it they cover nothing that is read there.
 * @throws ConcordError `card-signature` where there are keys, and none of them has signed it
 */
export async function verifyCard(card: object, keysOf: KeysOf): Promise<Verified> {
  const parsed = signatures.safeParse(card);
  if (!parsed.success) throw badSignature('The signatures of the card have another form than A2A 1.0 gives them');
  const all = parsed.data.signatures ?? [];
  if (all.length === 0) return { signature: 'none' };
  if (!('supportedInterfaces' in card)) return { signature: 'unchecked' };
  const signedText = signedForm(card);
  const payload = base64url.encode(signedText);
  let isChecked = false;
  for (const { protected: header, signature } of all) {
    const { jku } = headerOf(header);
    const keys = await keysOf(jku);
    if (keys === undefined) continue;
    isChecked = true;
    if (!(await signedByOneOf({ payload, protected: header, signature }, keys))) continue;
    // The unprotected header of a signature is covered by none.
    const kept = all.map((each) => ({ protected: each.protected, signature: each.signature }));
    return { signature: 'verified', signed: { ...JSON.parse(signedText), signatures: kept } };
  }
  if (isChecked) throw badSignature('The card is not signed by any of the keys that it may be signed by');
  return { signature: 'unchecked' };
}

/** A JSON Web Signature in its flattened form, RFC 7515, section 7.2.2. */
interface Jws {
  payload: string;
  protected: string;
  signature: string;
}

/** Whether one of the keys has made a signature, by an algorithm of that key; that which the header names, if it does. */
export async function signedByOneOf(jws: Jws, { keys }: KeySet): Promise<boolean> {
  const { kid } = headerOf(jws.protected);
  for (const key of keys) if ((kid === undefined || key.kid === kid) && (await holds(jws, key))) return true;
  return false;
}

/** What is signed: JSON by RFC 8785 of what A2A 1.0 knows of the card. */
function signedForm(card: object): string {
  try {
    return canonicalizeAgentCard(card as AgentCard);
  } catch {
    throw badSignature('The card cannot be brought into the form that is signed');
  }
}

function headerOf(header: string): z.output<typeof protectedHeader> {
  try {
    return protectedHeader.parse(decodeProtectedHeader({ protected: header }));
  } catch {
    throw badSignature('A signature has no header that can be read');
  }
}

async function holds(jws: Jws, key: KeySet['keys'][number]): Promise<boolean> {
  const known = keyOf(key);
  if (!known) return false;
  try {
    // The algorithm follows from the key and never from the signature.
    await flattenedVerify(jws, known.key, { algorithms: known.algorithms });
    return true;
  } catch {
    return false;
  }
}

function keyOf(jwk: KeySet['keys'][number]): { key: KeyObject; algorithms: string[] } | undefined {
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    return key.asymmetricKeyType === 'ed25519' ? { key, algorithms: ['EdDSA', 'Ed25519'] } : publicKey(key, jwk.alg);
  } catch {
    return undefined;
  }
}

export function badSignature(message: string) {
  return refuse('card-signature', message);
}
