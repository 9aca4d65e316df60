import { createPublicKey, type JsonWebKey } from 'node:crypto';
import canonicalize from 'canonicalize';
import { base64url, CompactEncrypt, compactDecrypt } from 'jose';
import { parse } from 'secure-json-parse';
import { isObject } from '../../base/isObject.ts';
import { refuse } from '../../base/reasons.ts';
import { isNestedTooDeeply } from '../../calls/nesting.ts';
import { detachedSignature, type SigningKey } from '../../security/signingKey.ts';
import { type KeySet, signedByOneOf } from '../cards/signature.ts';
import { type EncryptionKey, encryptionAlgorithms } from './encryptionKey.ts';
import type { Envelope, WrittenEnvelope } from './envelope.ts';

export interface SealsParts {
  /** What Concord's messages are signed with, and where its public key is found; undefined where they aren't. */
  signing(): { key: SigningKey; jku: string } | undefined;
  /** What is encrypted for Concord; undefined where nothing is. */
  encryption: EncryptionKey | undefined;
  /** The keys that an agent of a tenant is registered with. */
  keysOf(tenant: string, agentId: string): Promise<KeySet | undefined>;
  /** Bytes of what was encrypted. */
  longest: number;
}

/** Whether a message is of who it says: `unchecked` where the registry knows no key of the sender. */
export type MessageSignature = 'verified' | 'none' | 'unchecked';

/** A message that was opened: what it says, and whose it is. */
export interface Opened {
  content: unknown;
  signature: MessageSignature;
}

/** What a content is called that is encrypted; RFC 7516, section 9.1. */
const encryptedType = 'application/jose';
const contentAlgorithms = ['A256GCM', 'A128GCM', 'A256CBC-HS512', 'A128CBC-HS256'];

/**
 * Signatures and encryption of messages. What is signed is the message as it goes over the wire without its signature,
 * as JSON by RFC 8785; the signature is a JWS without its payload (RFC 7515, appendix F). What is encrypted is the
 * content, as a JWE in the compact form (RFC 7516).
 */
export class Seals {
  constructor(private readonly parts: SealsParts) {}

  /** A message as it is sent: encrypted where both sides have keys, and signed where Concord has one. */
  async seal(message: WrittenEnvelope): Promise<WrittenEnvelope> {
    const { encryption } = this.parts;
    if (!encryption) return this.sign(message);
    const keys = await this.parts.keysOf(message.groupId, message.to.agentId);
    const jwk = keys?.keys.find((each) => each.use === 'enc' && recipientOf(each) !== undefined);
    const recipient = jwk && recipientOf(jwk);
    if (!recipient) return this.sign(message);
    const { algorithm, key } = recipient;
    const text = new TextEncoder().encode(JSON.stringify(message.message.content));
    const content = await new CompactEncrypt(text)
      .setProtectedHeader({ alg: algorithm, enc: 'A256GCM', ...(jwk.kid !== undefined && { kid: jwk.kid }) })
      .encrypt(key);
    return this.sign({
      ...message,
      message: { ...message.message, content, mimeType: encryptedType },
      metadata: { ...message.metadata, security: { encrypted: true } },
    });
  }

  sign(message: WrittenEnvelope): WrittenEnvelope {
    const signing = this.parts.signing();
    if (!signing) return message;
    const security = { encrypted: message.metadata?.security?.encrypted ?? false };
    const unsigned = { ...message, metadata: { ...message.metadata, security } };
    const signature = detachedSignature(signing.key, signedForm(unsigned), signing.jku);
    return { ...unsigned, metadata: { ...unsigned.metadata, security: { ...security, signature } } };
  }

  /**
   * Checks the signature of a message by the keys of its sender, and decrypts what it says.
   * @param body the message as it came, JSON that was parsed
   * @throws ConcordError `message-signature`, `message-encryption`
   */
  async open(tenant: string, given: Envelope, body: unknown): Promise<Opened> {
    const signature = await this.signatureOf(tenant, given, body);
    const { message, metadata } = given;
    const isEncrypted = metadata?.security?.encrypted === true || message.mimeType === encryptedType;
    return { content: isEncrypted ? await this.decrypted(message.content) : message.content, signature };
  }

  private async signatureOf(tenant: string, { from, metadata }: Envelope, body: unknown): Promise<MessageSignature> {
    const signature = metadata?.security?.signature;
    if (signature === undefined) return 'none';
    const keys = await this.parts.keysOf(tenant, from.agentId);
    const signers = keys?.keys.filter(({ use }) => use !== 'enc') ?? [];
    if (!keys || signers.length === 0) return 'unchecked';
    const [header = '', payload, made = '', ...more] = signature.split('.');
    const isForm = payload === '' && header !== '' && made !== '' && more.length === 0;
    const jws = { protected: header, signature: made, payload: base64url.encode(signedForm(body)) };
    const holds = isForm && (await signedByOneOf(jws, { ...keys, keys: signers }).catch(() => false));
    if (holds) return 'verified';
    throw refuse(
      'message-signature',
      `The message is signed by none of the keys that ${from.agentId} is registered with`,
    );
  }

  private async decrypted(content: unknown): Promise<unknown> {
    const { encryption, longest } = this.parts;
    if (!encryption)
      throw refuse('message-encryption', 'Nothing that is encrypted is taken here: there is no key for it');
    if (typeof content !== 'string') throw refuse('message-encryption', 'The content is no JWE in the compact form');
    let text: string;
    try {
      const { plaintext } = await compactDecrypt(content, encryption.key, {
        keyManagementAlgorithms: encryption.algorithms,
        contentEncryptionAlgorithms: contentAlgorithms,
        // What is packed may be any length once it is unpacked.
        maxDecompressedLength: 0,
      });
      text = new TextDecoder('utf-8', { fatal: true }).decode(plaintext);
    } catch {
      throw refuse('message-encryption', 'The content cannot be decrypted: it is for another key, or was changed');
    }
    if (text.length > longest || isNestedTooDeeply(text)) {
      throw refuse('message-encryption', 'The content is too long or nested too deeply');
    }
    try {
      return parse(text);
    } catch {
      throw refuse('message-encryption', 'What was encrypted is no JSON');
    }
  }
}

/** What is signed of a message. */
export function signedForm(body: unknown): string {
  if (!isObject(body) || !isObject(body.metadata) || !isObject(body.metadata.security)) return canonicalize(body) ?? '';
  const { signature: _, ...security } = body.metadata.security;
  return canonicalize({ ...body, metadata: { ...body.metadata, security } }) ?? '';
}

function recipientOf(jwk: KeySet['keys'][number]) {
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const [algorithm] = encryptionAlgorithms(key) ?? [];
    return algorithm === undefined ? undefined : { key, algorithm };
  } catch {
    return undefined;
  }
}
