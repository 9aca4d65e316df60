import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { apiKeyText, hashOf, isApiKey, isSecretOf, newApiKey, parseApiKey } from '../../src/security/apiKey.ts';

test('a key is 256 random bits under an id, and is read back as it was written', () => {
  for (let i = 0; i < 1_000; i++) {
    const key = newApiKey();
    expect(Buffer.from(key.secret, 'base64url')).toHaveLength(32);
    expect(parseApiKey(apiKeyText(key))).toEqual(key);
    expect(isApiKey(apiKeyText(key))).toBe(true);
  }
});

test('what differs in a character is no key or another secret', () => {
  const key = newApiKey();
  const text = apiKeyText(key);
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.string({ minLength: 0, maxLength: 2 }), (at, put) => {
      const changed = text.slice(0, at) + put + text.slice(at + 1);
      fc.pre(changed !== text);
      const read = parseApiKey(changed);
      expect(read === undefined || read.id !== key.id || !isSecretOf(read.secret, hashOf(key.secret))).toBe(true);
    }),
  );
});

test('only the hash of the secret is kept, and it tells right from wrong', () => {
  const { secret } = newApiKey();
  expect(hashOf(secret)).toBe(createHash('sha256').update(secret).digest('hex'));
  expect(isSecretOf(secret, hashOf(secret))).toBe(true);
  expect(isSecretOf(newApiKey().secret, hashOf(secret))).toBe(false);
  for (const damaged of ['', 'not hex', hashOf(secret).slice(2), `${hashOf(secret)}00`]) {
    expect(isSecretOf(secret, damaged)).toBe(false);
  }
});
