import { expect, test } from '@jest/globals';
import { keySet } from '../../../src/agents/cards/signature.ts';

const bytes = (length: number) => Buffer.alloc(length, 255).toString('base64url');
const takes = (key: object) => keySet.safeParse({ keys: [key] }).success;

test('a key is taken only as long as keys are, for to read a long one keeps everybody waiting', () => {
  expect(takes({ kty: 'RSA', n: bytes(1_024), e: bytes(8) })).toBe(true);
  expect(takes({ kty: 'RSA', n: bytes(1_030), e: bytes(3) })).toBe(false);
  expect(takes({ kty: 'RSA', n: bytes(256), e: bytes(20) })).toBe(false);
  expect(takes({ kty: 'EC', crv: 'P-521', x: bytes(66), y: bytes(66) })).toBe(true);
  for (const member of ['crv', 'x', 'y']) expect(takes({ kty: 'EC', [member]: bytes(200) })).toBe(false);
});
