import { createHash, createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { AgentCard, generateAgentCardSignature } from '@a2a-js/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { fetchCard } from '../../../src/agents/fetching/fetchCard.ts';
import { fetchJson } from '../../../src/agents/fetching/fetchJson.ts';
import { freshFor } from '../../../src/agents/fetching/freshness.ts';
import { parseAllowed } from '../../../src/config/allowedReceivers.ts';
import { type CardServer, startCardServer } from '../cardServer.ts';
import { a2aCard, a2aLegacyCard, agentOsCard } from '../cards/cards.ts';

let server: CardServer;
beforeAll(async () => {
  server = await startCardServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.asked.length = 0;
  server.requests.length = 0;
  server.answers.clear();
});

const wellKnown = '/.well-known/agent-card.json';
const parts = { allowed: parseAllowed('127.0.0.1, agent.test'), timeoutMs: 2_000 };
const options = { signal: new AbortController().signal };
const fetched = (path = '', more: Partial<Parameters<typeof fetchCard>[2]> = {}, others = {}) =>
  fetchCard({ ...parts, ...others }, `${server.url}${path}`, { ...options, ...more });
const refused = (path = '', more = {}, others = {}) =>
  fetched(path, more, others).then(
    () => 'was taken',
    ({ data }) => data.reason as string,
  );

test('a card is found by its own address, and by that of its agent', async () => {
  server.answers.set(wellKnown, a2aCard);
  server.answers.set('/cards/translator.json', a2aCard);
  expect(await fetched('/cards/translator.json')).toMatchObject({ profile: { name: 'Translator' }, signature: 'none' });
  expect(await fetched('/')).toMatchObject({ url: `${server.url}${wellKnown}` });
  expect(server.asked).toEqual(['GET /cards/translator.json', `GET ${wellKnown}`]);
});

test('a card of the first A2A lies at agent.json', async () => {
  server.answers.set('/bot/.well-known/agent.json', a2aLegacyCard);
  expect(await fetched('/bot')).toMatchObject({ profile: { name: 'Weather' } });
});

test('endpoints of AgentOS stand behind the address of the agent', async () => {
  server.answers.set('/a2a/crm/.well-known/agent-card.json', agentOsCard);
  const { profile } = await fetched('/a2a/crm');
  expect(profile.endpoints[0]?.url).toBe(`${server.url}/a2a/crm/rpc`);
});

test('nothing that the card names is fetched', async () => {
  server.answers.set(wellKnown, { ...a2aLegacyCard, url: `${server.url}/a2a`, iconUrl: `${server.url}/icon` });
  await fetched();
  expect(server.asked).toEqual([`GET ${wellKnown}`]);
});

describe('a stranger’s address is refused', () => {
  test('that has no card', async () => expect(await refused('/nowhere')).toBe('card-unreachable'));
  test('that is private', async () => {
    server.answers.set(wellKnown, a2aCard);
    expect(await refused('', {}, { allowed: parseAllowed('') })).toBe('refused-address');
    expect(server.asked).toEqual([]);
  });
  test('whose host comes to a private address, also among public ones', async () => {
    const resolve = async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '10.0.0.7', family: 4 },
    ];
    const call = fetchCard({ ...parts, allowed: parseAllowed(''), resolve }, 'https://rebinding.test', options);
    await expect(call).rejects.toMatchObject({ data: { reason: 'refused-address' } });
  });
  test('in the same words whether its host is not found or private, so that nobody looks around by it', async () => {
    const told: unknown[] = [];
    for (const addresses of [[], [{ address: '10.0.0.7', family: 4 }]]) {
      const strict = { ...parts, allowed: parseAllowed(''), resolve: async () => addresses };
      const error = await fetchCard(strict, 'https://db.internal', options).catch((thrown) => thrown);
      told.push([error.message, error.data]);
    }
    expect(told[0]).toEqual([expect.stringContaining('db.internal'), { reason: 'refused-address', retryable: false }]);
    expect(told[1]).toEqual(told[0]);
  });
  test('in the same words whether it takes no connection, breaks it off or does not speak HTTP, which the log tells', async () => {
    const closed = await startCardServer();
    await closed.close();
    server.answers.set('/broken.json', (response) => response.destroy());
    server.answers.set('/other.json', (response) => response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'));
    const seen: [string, string][] = [];
    const told: unknown[] = [];
    for (const url of [`${closed.url}/a.json`, `${server.url}/broken.json`, `${server.url}/other.json`]) {
      const noting = { ...parts, onFault: (host: string, fault: string) => seen.push([host, fault]) };
      const error = await fetchCard(noting, url, options).catch((thrown) => thrown);
      told.push([error.message, error.data]);
    }
    for (const each of told)
      expect(each).toEqual(['127.0.0.1 cannot be called', { reason: 'card-unreachable', retryable: true }]);
    expect(seen).toEqual([
      ['127.0.0.1', 'ECONNREFUSED'],
      ['127.0.0.1', 'ECONNRESET'],
      ['127.0.0.1', expect.stringMatching(/^HPE_/)],
    ]);
  });
  test('that is not reached over https', async () => {
    const resolve = async () => [{ address: '93.184.216.34', family: 4 }];
    const call = fetchCard({ ...parts, resolve }, 'http://plain.test', options);
    await expect(call).rejects.toMatchObject({ data: { reason: 'https-required' } });
  });
  test.each(['file:///etc/passwd', 'ftp://agent.test', 'https://user:secret@agent.test', 'no address'])(
    '%s',
    async (url) => {
      const error = await fetchCard(parts, url, options).catch((thrown) => thrown);
      expect(error.data.reason).toBe('invalid-url');
      expect(error.message).not.toContain('secret');
    },
  );

  test('that redirects, to a private address or wherever', async () => {
    let hits = 0;
    server.answers.set('/private.json', (response) => response.end(String(++hits)));
    server.answers.set('/card.json', (response) =>
      response.writeHead(302, { Location: `${server.url}/private.json` }).end(),
    );
    expect(await refused('/card.json')).toBe('card-unreachable');
    expect(hits).toBe(0);
  });

  test('whose card has 50 MB, of which no more is read than a card may have', async () => {
    const chunk = Buffer.alloc(64 * 1024, ' ');
    let sent = 0;
    server.answers.set('/card.json', async (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const closed = once(response, 'close');
      while (sent < 50_000_000 && !response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) await Promise.race([once(response, 'drain'), closed]);
      }
      response.end();
    });
    expect(await refused('/card.json')).toBe('card-too-large');
    expect(sent).toBeLessThan(25_000_000);
  });

  test('that says before how long its card is', async () => {
    server.answers.set('/card.json', (response) =>
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '50000000' }).flushHeaders(),
    );
    expect(await refused('/card.json')).toBe('card-too-large');
  });

  test('that answers byte by byte, or never', async () => {
    server.answers.set('/card.json', (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    expect(await refused('/card.json', {}, { timeoutMs: 200 })).toBe('card-unreachable');
  });

  test('whose host is long in being found', async () => {
    const resolve = () => new Promise<never>(() => {});
    const call = fetchCard({ ...parts, timeoutMs: 100, resolve }, 'https://slow.test', options);
    await expect(call).rejects.toMatchObject({ data: { reason: 'card-unreachable' } });
  }, 2_000);

  test.each([
    ['no JSON', 'application/json', '{'],
    ['a list', 'application/json', '[]'],
    ['a page', 'text/html', '<html>'],
    ['no UTF-8', 'application/json', Buffer.from([0x7b, 0xff, 0x7d])],
    ['what is no card', 'application/json', '{"hello":"world"}'],
  ])('that answers with %s', async (_, type, body) => {
    server.answers.set('/card.json', (response) => response.writeHead(200, { 'Content-Type': type }).end(body));
    expect(await refused('/card.json')).toBe('invalid-card');
  });

  test('that answers with very many levels, before anything walks through them', async () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    server.answers.set('/deep.json', (response) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(deep),
    );
    const call = fetchJson(parts, `${server.url}/deep.json`, options);
    await expect(call).rejects.toMatchObject({ data: { reason: 'invalid-card' } });
  });

  test('that answers with a body that is packed', async () => {
    server.answers.set('/card.json', (response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
        .end(JSON.stringify(a2aCard)),
    );
    expect(await refused('/card.json')).toBe('invalid-card');
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
  });
});

describe('a signature', () => {
  const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [own, others] = [pair(), pair()];
  const jwkOf = (key: KeyObject, kid = 'k1') => ({ ...key.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' });
  const signed = async (key: KeyObject, header: object = {}, alg = 'ES256') => {
    const sign = generateAgentCardSignature(key, { alg, kid: 'k1', typ: 'JOSE', ...header });
    return AgentCard.toJSON(await sign(AgentCard.fromJSON(a2aCard))) as object;
  };
  const jku = () => `${server.url}/keys.json`;
  const keys = (...all: object[]) => ({ keys: all as { kty: string }[] });

  test('is verified by the key that it names, at the origin of the card', async () => {
    server.answers.set(wellKnown, await signed(own.privateKey, { jku: jku() }));
    server.answers.set('/keys.json', keys(jwkOf(own.publicKey)));
    expect(await fetched()).toMatchObject({ signature: 'verified' });
  });

  test('is verified by an Ed25519 key', async () => {
    const ed = generateKeyPairSync('ed25519');
    server.answers.set(wellKnown, await signed(ed.privateKey, {}, 'EdDSA'));
    const jwk = { ...ed.publicKey.export({ format: 'jwk' }), kid: 'k1' };
    expect(await fetched('', { keys: keys(jwk) as never })).toMatchObject({ signature: 'verified' });
  });

  test('of another’s key is refused', async () => {
    server.answers.set(wellKnown, await signed(others.privateKey, { jku: jku() }));
    server.answers.set('/keys.json', keys(jwkOf(own.publicKey)));
    expect(await refused()).toBe('card-signature');
  });

  test('of a card that was changed is refused', async () => {
    const card = await signed(own.privateKey, { jku: jku() });
    server.answers.set(wellKnown, { ...card, name: 'Somebody else' });
    server.answers.set('/keys.json', keys(jwkOf(own.publicKey)));
    expect(await refused()).toBe('card-signature');
  });

  test('whose key is kept elsewhere is refused, and nothing is fetched from there', async () => {
    const elsewhere = await startCardServer();
    elsewhere.answers.set('/keys.json', keys(jwkOf(others.publicKey)));
    server.answers.set(wellKnown, await signed(others.privateKey, { jku: `${elsewhere.url}/keys.json` }));
    expect(await refused()).toBe('card-signature');
    expect(elsewhere.asked).toEqual([]);
    await elsewhere.close();
  });

  test('whose keys don’t answer takes no longer than a card may, however many addresses are named', async () => {
    const { signatures, ...card } = (await signed(own.privateKey)) as { signatures: { signature: string }[] };
    const headers = Array.from({ length: 5 }, (_, index) => ({
      alg: 'ES256',
      kid: 'k1',
      jku: `${jku()}?${index % 3}`,
    }));
    const many = headers.map((header) => ({
      protected: Buffer.from(JSON.stringify(header)).toString('base64url'),
      signature: signatures[0]?.signature ?? '',
    }));
    server.answers.set(wellKnown, { ...card, signatures: many });
    server.answers.set('/keys.json', keys(jwkOf(others.publicKey)));
    expect(await refused()).toBe('card-signature');
    expect(server.asked.filter((each) => each === 'GET /keys.json')).toHaveLength(3);
    server.answers.set('/keys.json', (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      setTimeout(() => response.end('{"keys":[]}'), 200);
    });
    const begun = performance.now();
    expect(await refused('', {}, { timeoutMs: 300 })).toBe('card-unreachable');
    expect(performance.now() - begun).toBeLessThan(600);
  });

  test('is verified by the keys that are given, and by no other', async () => {
    server.answers.set(wellKnown, await signed(own.privateKey, { jku: jku() }));
    server.answers.set('/keys.json', keys(jwkOf(own.publicKey)));
    expect(await fetched('', { keys: keys(jwkOf(own.publicKey)) as never })).toMatchObject({ signature: 'verified' });
    expect(await refused('', { keys: keys(jwkOf(others.publicKey)) })).toBe('card-signature');
  });

  test('made by HMAC with the public key is refused', async () => {
    const secret = createHash('sha256')
      .update(JSON.stringify(jwkOf(own.publicKey)))
      .digest();
    server.answers.set(wellKnown, await signed(createSecretKey(secret), { jku: jku() }, 'HS256'));
    server.answers.set(
      '/keys.json',
      keys(jwkOf(own.publicKey), { kty: 'oct', kid: 'k1', k: secret.toString('base64url') }),
    );
    expect(await refused()).toBe('card-signature');
  });

  test('by another algorithm than its key is for is refused', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    server.answers.set(wellKnown, await signed(rsa.privateKey, {}, 'RS256'));
    const jwk = (alg: string) => keys({ ...rsa.publicKey.export({ format: 'jwk' }), kid: 'k1', alg });
    expect(await refused('', { keys: jwk('PS256') })).toBe('card-signature');
    expect(await fetched('', { keys: jwk('RS256') as never })).toMatchObject({ signature: 'verified' });
  });

  test('by a key that is shown with its private half is refused', async () => {
    server.answers.set(wellKnown, await signed(own.privateKey, { jku: jku() }));
    server.answers.set('/keys.json', keys(jwkOf(own.privateKey)));
    expect(await refused()).toBe('card-signature');
  });

  test('whose key nobody knows leaves the card unchecked', async () => {
    server.answers.set(wellKnown, await signed(own.privateKey));
    expect(await fetched()).toMatchObject({ signature: 'unchecked' });
  });

  const ownKeys = () => ({ keys: keys(jwkOf(own.publicKey)) as never });

  test('covers what A2A 1.0 knows of a card, and of one that is verified nothing else is read or kept', async () => {
    const card = (await signed(own.privateKey)) as { capabilities: object; skills: object[]; signatures: object[] };
    server.answers.set(wellKnown, {
      ...card,
      url: 'https://mallory.example.org',
      additionalInterfaces: [{ url: 'https://mallory.example.org', transport: 'JSONRPC' }],
      default_input_modes: ['text/html'],
      capabilities: { ...card.capabilities, paysForAll: true, push_notifications: true },
      skills: card.skills.map((skill) => ({ ...skill, price: 0 })),
      signatures: card.signatures.map((each) => ({ ...each, header: { trust: 'me' } })),
    });
    const { text, profile, signature } = await fetched('', ownKeys());
    expect(signature).toBe('verified');
    expect(profile.capabilities).toEqual(['streaming']);
    expect(JSON.parse(text)).toEqual(card);
  });

  test.each([
    ['0.3', { protocolVersion: '0.3.0', url: 'https://mallory.example.org' }],
    ['the first A2A', { url: 'https://mallory.example.org' }],
    ['AgentOS', { id: 'x', endpoints: { rpc: 'https://mallory.example.org' } }],
    ['older names', { supported_interfaces: a2aCard.supportedInterfaces, url: 'https://mallory.example.org' }],
  ])('over a card of %s is not told as verified, for it doesn’t cover what is read there', async (_, older) => {
    const { supportedInterfaces: _interfaces, signatures: _none, ...shared } = AgentCard.fromJSON(a2aCard);
    const signedAs = 'supported_interfaces' in older ? { ...shared, ...older } : shared;
    const sign = generateAgentCardSignature(own.privateKey, { alg: 'ES256', kid: 'k1', typ: 'JOSE' });
    const { signatures } = await sign(signedAs as never);
    server.answers.set(wellKnown, { ...(AgentCard.toJSON(shared as never) as object), ...older, signatures });
    expect(await fetched('', ownKeys())).toMatchObject({ signature: 'unchecked' });
  });

  test.each([
    ['a text', 'x'],
    ['one that is no object', ['x']],
    ['a header that is none', [{ protected: '!!', signature: 'x' }]],
    ['a header of null', [{ protected: Buffer.from('null').toString('base64url'), signature: 'x' }]],
    ['very many', Array.from({ length: 6 }, () => ({ protected: 'e30', signature: '' }))],
  ])('that is %s is refused', async (_, signatures) => {
    server.answers.set(wellKnown, { ...a2aCard, signatures });
    expect(await refused()).toBe('card-signature');
  });
});

test.each([
  [{}, 3_600],
  [{ 'cache-control': 'max-age=600' }, 600],
  [{ 'cache-control': 'public, MAX-AGE="600"', age: '100' }, 500],
  [{ 'cache-control': 'max-age=1' }, 60],
  [{ 'cache-control': 'max-age=99999999' }, 86_400],
  [{ 'cache-control': 'no-store, max-age=600' }, 60],
  [{ 'cache-control': 'max-age=-1' }, 3_600],
  [{ 'cache-control': 'max-age=600', age: 'x' }, 600],
])('a card with %j is fresh for %d s', (headers, seconds) => {
  expect(freshFor(headers)).toBe(seconds * 1_000);
});
