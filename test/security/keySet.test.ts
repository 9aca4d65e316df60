import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { tokenVerifier } from '../../src/security/jwt.ts';
import { KeySet } from '../../src/security/keySet.ts';
import { JwksServer, jwk } from './jwksServer.ts';
import { compact, ec, good, rsa, rules, token } from './tokens.ts';

let server: JwksServer;
let url: string;
let time: number;
let faults: unknown[];

beforeEach(async () => {
  server = new JwksServer();
  url = await server.start();
  time = 0;
  faults = [];
});
afterEach(() => server.close());

const verifier = () => {
  const options = { maxAgeMs: 1_000, graceMs: 5_000, pauseMs: 100, timeoutMs: 300 };
  const onError = (error: unknown) => faults.push(error);
  return tokenVerifier(new KeySet(url, { ...options, now: () => time, onError }), rules);
};
const signed = (kid?: string, key = rsa.privateKey) => token({}, key, 'RS256', kid);
const newRsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

test('keys are fetched once for many tokens, RSA and EC alike', async () => {
  const p256 = ec('prime256v1');
  server.keys = [jwk(rsa.publicKey, 'r'), jwk(p256.publicKey, 'e')];
  const verify = verifier();
  const tokens = [signed('r'), token({}, p256.privateKey, 'ES256', 'e'), token({}, rsa.privateKey, 'PS256', 'r')];
  await Promise.all([...tokens, ...tokens].map(verify));
  expect(server.requests).toBe(1);
});

test('a rotated key is known at once, and the one withdrawn is refused', async () => {
  const next = newRsa();
  server.keys = [jwk(rsa.publicKey, 'old')];
  const verify = verifier();
  await verify(signed('old'));
  server.keys = [jwk(next.publicKey, 'new')];
  time = 200;
  expect((await verify(signed('new', next.privateKey))).agentId).toBe('scout');
  await expect(verify(signed('old'))).rejects.toMatchObject({ status: 401, reason: 'unknown-key' });
});

test('a withdrawn key is forgotten after the age of the set, though nobody asks for another', async () => {
  server.keys = [jwk(rsa.publicKey, 'old')];
  const verify = verifier();
  await verify(signed('old'));
  server.keys = [jwk(newRsa().publicKey, 'new')];
  time = 900;
  await verify(signed('old'));
  time = 1_000;
  await expect(verify(signed('old'))).rejects.toMatchObject({ reason: 'unknown-key' });
});

test('made-up key ids are refused, and are no flood of requests', async () => {
  server.keys = [jwk(rsa.publicKey, 'r')];
  const verify = verifier();
  await verify(signed('r'));
  time = 200;
  const refused = { status: 401, reason: 'unknown-key', data: { retryable: true } };
  const madeUp = Array.from({ length: 50 }, (_, index) => verify(signed(`made-up-${index}`)));
  for (const each of madeUp) await expect(each).rejects.toMatchObject(refused);
  // One at once, and one for those who came while it was under way.
  expect(server.requests).toBe(3);
  await verify(signed('r'));
});

test('made-up key ids keep no rotated key out: who has one waits for the next request', async () => {
  const next = newRsa();
  server.keys = [jwk(rsa.publicKey, 'old')];
  const verify = verifier();
  await verify(signed('old'));
  time = 200;
  await expect(verify(signed('made-up'))).rejects.toMatchObject({ reason: 'unknown-key' });
  server.keys = [jwk(next.publicKey, 'new')];
  const madeUp = Array.from({ length: 50 }, (_, index) => verify(signed(`made-up-${index}`)).catch(() => {}));
  expect((await verify(signed('new', next.privateKey))).agentId).toBe('scout');
  await Promise.all(madeUp);
  expect(server.requests).toBe(3);
});

test('a key that is put there while the set is on its way is found by the request after it', async () => {
  const next = newRsa();
  server.keys = [jwk(rsa.publicKey, 'old')];
  const verify = verifier();
  const held: (() => void)[] = [];
  const usual = server.answer;
  server.answer = (response) => {
    const text = JSON.stringify({ keys: server.keys });
    held.push(() => response.end(text));
  };
  const first = verify(signed('old'));
  while (held.length === 0) await sleep(1);
  server.keys = [jwk(next.publicKey, 'new')];
  server.answer = usual;
  const second = verify(signed('new', next.privateKey));
  held[0]?.();
  await first;
  expect((await second).agentId).toBe('scout');
});

test('a key under the id of another does not verify', async () => {
  server.keys = [jwk(rsa.publicKey, 'r')];
  await expect(verifier()(signed('r', newRsa().privateKey))).rejects.toMatchObject({
    reason: 'bad-signature',
  });
});

test('without a key id there must be no choice', async () => {
  server.keys = [jwk(rsa.publicKey, 'r')];
  await verifier()(signed());
  server.keys = [jwk(rsa.publicKey, 'r'), jwk(newRsa().publicKey, 's')];
  await expect(verifier()(signed())).rejects.toMatchObject({ reason: 'unknown-key' });
});

test('what is no key for signatures is left out: symmetric, for encryption, of another algorithm, too short', async () => {
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
  server.keys = [
    { kty: 'oct', kid: 'secret', k: Buffer.from('x'.repeat(40)).toString('base64url') },
    { ...jwk(rsa.publicKey, 'enc'), use: 'enc' },
    jwk(rsa.publicKey, 'rs512', { alg: 'RS512' }),
    jwk(short.publicKey, 'short'),
    { kty: 'nonsense' },
  ];
  const verify = verifier();
  const reasonOf = async (text: string) => await verify(text).catch((error) => error.reason);
  expect(await reasonOf(token({}, 'x'.repeat(40), 'HS256', 'secret'))).toBe('unknown-key');
  expect(await reasonOf(signed('enc'))).toBe('unknown-key');
  expect(await reasonOf(signed('rs512'))).toBe('wrong-algorithm');
  expect(await reasonOf(compact({ alg: 'RS256', kid: 'short' }, good, 'c2ln'))).toBe('unknown-key');
});

describe('while the address does not answer well', () => {
  const broken: [string, () => void][] = [
    ['a fault', () => (server.answer = (response) => response.writeHead(500).end())],
    ['no keys', () => (server.answer = (response) => response.end('{"keys":[]}'))],
    ['no JSON', () => (server.answer = (response) => response.end('<html>'))],
    ['silence', () => (server.answer = () => {})],
    ['a redirect', () => (server.answer = (response) => response.writeHead(302, { location: '/else' }).end())],
  ];

  test.each(broken)('%s: nobody is told to be unknown, and nothing is asked in between', async (_, breakIt) => {
    breakIt();
    const verify = verifier();
    const refused = { status: 503, reason: 'identities-unavailable', data: { retryable: true } };
    await expect(verify(signed('r'))).rejects.toMatchObject(refused);
    await expect(verify(signed('r'))).rejects.toMatchObject(refused);
    expect(server.requests).toBe(1);
    expect(faults).toHaveLength(1);
  });

  test('known keys are good for the time of grace, and no longer', async () => {
    server.keys = [jwk(rsa.publicKey, 'r')];
    const verify = verifier();
    await verify(signed('r'));
    server.answer = (response) => response.writeHead(500).end();
    time = 5_900;
    await verify(signed('r'));
    time = 6_000;
    await expect(verify(signed('r'))).rejects.toMatchObject({ status: 503 });
  });
});

test.each(['http://issuer.example/keys', 'http://localhost.evil.example/', 'file:///etc/keys', 'nowhere'])(
  '%s is no address to trust keys of',
  (address) => {
    expect(() => new KeySet(address)).toThrow(/must be an https address/);
  },
);
