import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** An API key as its bearer has it: `concord_<id>_<secret>`. */
export interface ApiKey {
  /** 16 hex digits. Not secret. */
  id: string;
  /** 32 random bytes in base64url. */
  secret: string;
}

const form = /^concord_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

/** @param random gives so many random bytes */
export function newApiKey(random: (bytes: number) => Buffer = randomBytes): ApiKey {
  return { id: random(8).toString('hex'), secret: random(32).toString('base64url') };
}

export function apiKeyText({ id, secret }: ApiKey): string {
  return `concord_${id}_${secret}`;
}

/** Undefined for what isn't one. */
export function parseApiKey(text: string): ApiKey | undefined {
  const [, id, secret] = form.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Whether a text means to be an API key, well formed or not; no JSON web token begins like this. */
export function isApiKey(text: string): boolean {
  return text.startsWith('concord_');
}

/**
 * What is stored of a secret: SHA-256 in hex. A slow hash slows down guessing, and there is nothing to guess among
 * 2^256 equally likely secrets; it would only slow down each request.
 */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether a secret is the one of a hash. The time it takes tells nothing about where they differ. */
export function isSecretOf(secret: string, hash: string): boolean {
  const [given, stored] = [Buffer.from(hashOf(secret), 'hex'), Buffer.from(hash, 'hex')];
  return given.length === stored.length && timingSafeEqual(given, stored);
}
