import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Algorithm } from 'jsonwebtoken';
import { tokenVerifier } from '../../src/security/jwt.ts';
import { AccessRefused } from '../../src/security/refused.ts';
import { pemKey, publicKey, secretKey, type VerificationKey } from '../../src/security/verificationKey.ts';
import { compact, ec, good, now, pemOf, rsa, rules, secret, token } from './tokens.ts';

const verifierOf = (key: VerificationKey | undefined) => tokenVerifier({ find: () => key }, rules);
const bySecret = verifierOf(secretKey(secret));
const byRsa = verifierOf(publicKey(rsa.publicKey));

const scout = {
  tenant: 'default',
  agentId: 'scout',
  scopes: new Set(['knowledge:query', 'knowledge:update']),
  expiresAt: good.exp * 1_000,
};

describe('a good token names its principal', () => {
  test.each<Algorithm>(['HS256', 'HS384', 'HS512'])('%s, by a secret', async (algorithm) => {
    expect(await bySecret(token({}, secret, algorithm))).toEqual(scout);
  });

  test.each<Algorithm>(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'])(
    '%s, by a PEM key',
    async (algorithm) => {
      const verify = verifierOf(pemKey(pemOf(rsa.publicKey)));
      expect(await verify(token({}, rsa.privateKey, algorithm))).toEqual(scout);
    },
  );

  test.each<[Algorithm, string]>([
    ['ES256', 'prime256v1'],
    ['ES384', 'secp384r1'],
    ['ES512', 'secp521r1'],
  ])('%s, by a PEM key', async (algorithm, curve) => {
    const { publicKey: open, privateKey } = ec(curve);
    expect(await verifierOf(pemKey(pemOf(open)))(token({}, privateKey, algorithm))).toEqual(scout);
  });

  test('with its graphs, of which `default` is the default one', async () => {
    const { graphs } = await bySecret(token({ graphs: ['urn:g:b', 'default', 'urn:g:a', 'urn:g:a'] }));
    expect(graphs).toEqual({ default: true, named: ['urn:g:a', 'urn:g:b'] });
    expect((await bySecret(token({ graphs: 'urn:g:a' }))).graphs).toEqual({
      default: false,
      named: ['urn:g:a'],
    });
    expect((await bySecret(token({ graphs: [] }))).graphs).toEqual({ default: false, named: [] });
  });

  test('with scopes as a list, or none', async () => {
    const listed = await bySecret(token({ scope: ['knowledge:review', 'other'] }));
    expect([...listed.scopes]).toEqual(['knowledge:review']);
    expect((await bySecret(token({ scope: undefined }))).scopes.size).toBe(0);
  });

  test('within the clock skew before and after its time, and among several audiences', async () => {
    await bySecret(token({ exp: now - 20 }));
    await bySecret(token({ nbf: now + 20 }));
    await bySecret(token({ aud: ['else', rules.audience[0]] }));
  });
});

const unsigned = compact({ alg: 'none', typ: 'JWT' }, good, '');
const parts = token().split('.');
const forged = (header: object, key: Buffer | string, payload: unknown = good) => {
  const [head, body] = compact(header, payload, '').split('.');
  const signature = createHmac('sha256', key).update(`${head}.${body}`).digest('base64url');
  return `${head}.${body}.${signature}`;
};

describe('a bad token is refused for what is wrong with it', () => {
  test.each<[string, string, string]>([
    ['expired', 'expired', token({ exp: now - 40 })],
    ['not valid yet', 'not-yet-valid', token({ nbf: now + 60 })],
    ['without an expiry', 'no-expiry', token({ exp: undefined })],
    ['with an expiry that is no number', 'malformed', forged({ alg: 'HS256' }, secret, { ...good, exp: 'never' })],
    ['over claims that are none', 'wrong-audience', forged({ alg: 'HS256' }, secret, [])],
    ['over a text', 'wrong-audience', forged({ alg: 'HS256' }, secret, 'text')],
    ['of another issuer', 'wrong-issuer', token({ iss: 'https://evil.example' })],
    ['of no issuer', 'wrong-issuer', token({ iss: undefined })],
    ['for another audience', 'wrong-audience', token({ aud: 'https://other.example' })],
    ['for no audience', 'wrong-audience', token({ aud: undefined })],
    ['alg none', 'unsigned', unsigned],
    ['alg nOnE', 'unsigned', compact({ alg: 'nOnE' }, good, 'c2ln')],
    ['alg HS256 and no signature', 'unsigned', `${parts[0]}.${parts[1]}.`],
    ['signed with another secret', 'bad-signature', token({}, `${secret}!`)],
    [
      'with other claims under the signature',
      'bad-signature',
      `${parts[0]}.${token({ tenant: 'b' }).split('.')[1]}.${parts[2]}`,
    ],
    [
      'with another header over the signature',
      'bad-signature',
      `${token({}, secret, 'HS384').split('.')[0]}.${parts[1]}.${parts[2]}`,
    ],
    ['of an algorithm for other keys', 'wrong-algorithm', token({}, rsa.privateKey, 'RS256')],
    ['of an algorithm that nobody has', 'wrong-algorithm', compact({ alg: 'XX1' }, good, 'c2ln')],
    ['without an algorithm', 'malformed', compact({}, good, 'c2ln')],
    [
      'with an extension that must be understood',
      'malformed',
      forged({ alg: 'HS256', crit: ['b64'], b64: false }, secret),
    ],
    ['with a key id that is no text', 'malformed', forged({ alg: 'HS256', kid: { $ne: '' } }, secret)],
    ['of two parts', 'malformed', `${parts[0]}.${parts[1]}`],
    ['of no sense', 'malformed', 'garbage'],
    ['empty', 'malformed', ''],
    ['endless', 'malformed', token({ more: 'x'.repeat(20_000) })],
  ])('%s', async (_, reason, text) => {
    await expect(bySecret(text)).rejects.toMatchObject({ status: 401, reason, data: { reason } });
  });

  test('an HMAC with the public key, which everybody has, is no signature', async () => {
    const pem = pemOf(rsa.publicKey);
    const der = rsa.publicKey.export({ type: 'spki', format: 'der' });
    for (const key of [pem, pem.trim(), der]) {
      for (const verify of [byRsa, verifierOf(pemKey(pem))]) {
        const text = forged({ alg: 'HS256', typ: 'JWT' }, key);
        await expect(verify(text)).rejects.toMatchObject({ status: 401, reason: 'wrong-algorithm' });
      }
    }
  });

  test('a key that the token brings itself counts nothing', async () => {
    const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const [, body] = parts;
    const jwk = own.publicKey.export({ format: 'jwk' });
    const [head] = compact({ alg: 'RS256', jwk, jku: 'http://127.0.0.1/', x5c: [] }, good, '').split('.');
    const { sign } = await import('node:crypto');
    const signature = sign('sha256', Buffer.from(`${head}.${body}`), own.privateKey).toString('base64url');
    await expect(byRsa(`${head}.${body}.${signature}`)).rejects.toMatchObject({ reason: 'bad-signature' });
  });

  test('of an elliptic key on another curve', async () => {
    const verify = verifierOf(publicKey(ec('prime256v1').publicKey));
    const text = token({}, ec('secp384r1').privateKey, 'ES384');
    await expect(verify(text)).rejects.toMatchObject({ reason: 'wrong-algorithm' });
  });

  test('without a key to it', async () => {
    await expect(verifierOf(undefined)(token())).rejects.toMatchObject({
      status: 401,
      reason: 'unknown-key',
    });
  });

  test('whatever it is made of, the answer is a refusal and not a failure', async () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(...parts),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 5 }), async (pieces) => {
        const text = pieces.join('.');
        fc.pre(text !== parts.join('.'));
        await expect(bySecret(text)).rejects.toBeInstanceOf(AccessRefused);
      }),
    );
  });
});

describe('a token that is good, and says too little, is forbidden', () => {
  test.each<[string, Record<string, unknown>]>([
    ['no-tenant', { tenant: undefined }],
    ['no-tenant', { tenant: '' }],
    ['no-tenant', { tenant: 7 }],
    ['no-agent', { sub: undefined }],
    ['no-agent', { sub: '  ' }],
    ['bad-claims', { scope: { a: 1 } }],
    ['bad-claims', { graphs: { default: true } }],
    ['bad-claims', { graphs: null }],
    ['bad-claims', { graphs: ['urn:g:a', 7] }],
  ])('%s: %j', async (reason, claims) => {
    await expect(bySecret(token(claims))).rejects.toMatchObject({ status: 403, reason });
  });
});

describe('a key that cannot be trusted stops the start', () => {
  test.each<[string, () => unknown]>([
    ['a secret that can be guessed', () => secretKey('short')],
    ['a private key', () => pemKey(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())],
    ['no key', () => pemKey('-----BEGIN PUBLIC KEY-----\nnothing\n-----END PUBLIC KEY-----')],
    ['a short RSA key', () => pemKey(pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey))],
    ['a key of another kind', () => pemKey(pemOf(generateKeyPairSync('ed25519').publicKey))],
    ['a curve without an algorithm', () => pemKey(pemOf(ec('secp256k1').publicKey))],
  ])('%s', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ name: 'StartupError' }));
  });

  test('the owner of a key may have set its one algorithm', () => {
    expect(publicKey(rsa.publicKey, 'RS256')?.algorithms).toEqual(['RS256']);
    expect(publicKey(rsa.publicKey, 'HS256')).toBeUndefined();
    expect(createPublicKey(pemOf(rsa.publicKey)).asymmetricKeyType).toBe('rsa');
  });
});
