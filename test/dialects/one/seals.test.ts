import { createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import { CompactEncrypt, compactDecrypt, flattenedVerify, importJWK } from 'jose';
import { Seals } from '../../../src/agents/envelopes/seals.ts';
import { type OneAgent, replied, startOneAgent } from '../../agents/delegation/oneAgent.ts';
import { bearerOf, identities } from '../../support/identities.ts';
import { call } from '../../support/service.ts';
import { useService } from '../../support/setUp.ts';
import { type Message, messageOf, post } from './client.ts';

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const jwkOf = (key: KeyObject, more: object = {}) => ({ ...createPublicKey(key).export({ format: 'jwk' }), ...more });
const signing = generateKeyPairSync('ed25519').privateKey;
const foreign = generateKeyPairSync('ed25519').privateKey;
const encrypting = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const ofConcord = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

const service = useService({
  ...identities,
  ...{ TENANTS: 'blue', AGENT_ALLOW: '127.0.0.1' },
  AGENT_CARD_KEY: pem(ofConcord),
  AGENT_ENCRYPTION_KEY: pem(generateKeyPairSync('x25519').privateKey),
});
const as = (sub: string) => bearerOf({ tenant: 'blue', sub });
let anna: OneAgent;
let keys: { signs: JsonWebKey; encrypts: JsonWebKey };
beforeAll(async () => {
  anna = await startOneAgent('anna', ['paint'], as('anna'));
  const own = { keys: [jwkOf(encrypting, { use: 'enc', kid: 'e' }), jwkOf(signing, { kid: 's' })] };
  const { error } = await call(service.url, 'agents/register', { card: anna.card, keys: own }, as('anna'));
  expect(error).toBeUndefined();
  const response = await fetch(`${service.url}/.well-known/jwks.json`);
  const { keys: all } = (await response.json()) as { keys: JsonWebKey[] };
  const [signs = {}, encrypts = {}] = ['sig', 'enc'].map((use) => all.find((each) => each.use === use));
  keys = { signs, encrypts };
});
afterAll(() => anna?.close());
beforeEach(() => {
  anna.got.length = 0;
});

const base64 = (text: string) => Buffer.from(text).toString('base64url');

/** A message with its signature. */
function signed<T extends object>(message: T, key = signing, kid = 's') {
  const { metadata } = message as { metadata?: { security?: object } };
  const security = { encrypted: false, ...metadata?.security };
  const unsigned = { ...message, metadata: { ...metadata, security } };
  const header = base64(JSON.stringify({ alg: 'EdDSA', kid }));
  const made = sign(null, Buffer.from(`${header}.${base64(canonicalize(unsigned) ?? '')}`), key).toString('base64url');
  return {
    ...unsigned,
    metadata: { ...unsigned.metadata, security: { ...security, signature: `${header}..${made}` } },
  };
}

/** A message whose content is encrypted. */
async function encrypted(message: ReturnType<typeof messageOf>, text: string | object, to: JsonWebKey = keys.encrypts) {
  const bytes = new TextEncoder().encode(typeof text === 'string' ? text : JSON.stringify(text));
  const alg = to.kty === 'RSA' ? 'RSA-OAEP-256' : 'ECDH-ES+A256KW';
  const content = await new CompactEncrypt(bytes)
    .setProtectedHeader({ alg, enc: 'A256GCM' })
    .encrypt(await importJWK(to, alg));
  return {
    ...message,
    message: { ...message.message, content, mimeType: 'application/jose' },
    metadata: { security: { encrypted: true } },
  };
}

/** What a message of Concord's says, which is signed by it and encrypted for anna. */
async function opened(message: Message) {
  const sealed = message.metadata?.security as { signature: string; encrypted: boolean };
  const { signature, ...security } = sealed;
  const [header = '', , made = ''] = signature.split('.');
  const payload = base64(canonicalize({ ...message, metadata: { ...message.metadata, security } }) ?? '');
  await flattenedVerify({ protected: header, payload, signature: made }, await importJWK(keys.signs, 'ES256'));
  expect([security.encrypted, message.message.mimeType]).toEqual([true, 'application/jose']);
  const { plaintext, protectedHeader } = await compactDecrypt(message.message.content, encrypting);
  expect(protectedHeader.kid).toBe('e');
  return JSON.parse(new TextDecoder().decode(plaintext));
}

const query = { query: '{ entities(limit: 1) { id } }' };
const send = (message: object, sub = 'anna') => post(service.url, message, as(sub));
async function signatureOf(messageId: string): Promise<string | undefined> {
  const response = await fetch(`${service.url}/a2a/messages?type=a2a_message_received`, { headers: as('anna') });
  const { events } = (await response.json()) as { events: { messageId: string; signature: string }[] };
  return events.find((event) => event.messageId === messageId)?.signature;
}

test('a message that its sender has signed is verified, and the answer is signed and encrypted for it', async () => {
  const message = signed(messageOf('query', query));
  const { status, body } = await send(message);
  expect([status, body.message.type]).toEqual([200, 'response']);
  expect(await opened(body)).toMatchObject({ status: 'completed', result: { data: { entities: [] } } });
  expect(await signatureOf(message.messageId)).toBe('verified');
  const plain = messageOf('query', query);
  await send(plain);
  expect(await signatureOf(plain.messageId)).toBe('none');
  const unknown = signed({ ...messageOf('query', query), from: { agentId: 'bert' } }, foreign);
  expect((await send(unknown, 'bert')).body.message.content).toMatchObject({ status: 'completed' });
  expect(await signatureOf(unknown.messageId)).toBe('unchecked');
});

const forgeries: [string, () => object][] = [
  ['changed after it was signed', () => ({ ...signed(messageOf('query', query)), timestamp: 1 })],
  ['signed by a foreign key', () => signed(messageOf('query', query), foreign)],
  ['signed by a key of another name', () => signed(messageOf('query', query), signing, 'e')],
  [
    'with the signature of another message',
    () => ({ ...messageOf('query', query), metadata: signed(messageOf('query', query)).metadata }),
  ],
  [
    'with what is no signature',
    () => ({ ...messageOf('query', query), metadata: { security: { encrypted: false, signature: 'a.b.c' } } }),
  ],
];
test.each(forgeries)('a message %s is refused, and nothing is done', async (_kind, forge) => {
  const message = forge() as { messageId: string };
  const { status, body } = await send(message);
  expect([status, body.message.content]).toMatchObject([
    400,
    { code: 'invalid_message', details: { reason: 'message-signature' } },
  ]);
  expect(await signatureOf(message.messageId)).toBeUndefined();
});

test('what is encrypted for Concord is read, and the same message is the same however it is encrypted', async () => {
  const plain = messageOf('query', undefined);
  const first = await send(signed(await encrypted(plain, query)));
  const { taskId, status } = await opened(first.body);
  expect(status).toBe('completed');
  expect((await opened((await send(await encrypted(plain, query))).body)).taskId).toBe(taskId);
  const other = await send(await encrypted(plain, { question: 'Why?' }));
  expect(other.body.message.content.details.reason).toBe('message-id-taken');
});

test('what is encrypted for another, is no JSON, too deep, packed or not encrypted at all is refused', async () => {
  const message = () => messageOf('query', undefined);
  const deep = `${'['.repeat(101)}${']'.repeat(101)}`;
  const key = await importJWK(keys.encrypts, 'ECDH-ES+A256KW');
  const packed = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify('1'.repeat(1_000))))
    .setProtectedHeader({ alg: 'ECDH-ES+A256KW', enc: 'A256GCM', zip: 'DEF' })
    .encrypt(key);
  const faulty = [
    await encrypted(message(), query, jwkOf(encrypting) as JsonWebKey),
    await encrypted(message(), 'no JSON'),
    await encrypted(message(), deep),
    { ...messageOf('query', packed), metadata: { security: { encrypted: true } } },
    { ...messageOf('query', query), metadata: { security: { encrypted: true } } },
  ];
  for (const each of faulty) {
    const { status, body } = await send(each);
    expect([status, body.message.content.details?.reason]).toEqual([400, 'message-encryption']);
  }
  const closed = new Seals({
    signing: () => undefined,
    encryption: undefined,
    keysOf: async () => undefined,
    longest: 1,
  });
  const given = (await encrypted(message(), query)) as never;
  await expect(closed.open('blue', given, given)).rejects.toMatchObject({ data: { reason: 'message-encryption' } });
});

test('a delegation to an agent with keys is signed and encrypted, and so may its answer be; a forged one ends it', async () => {
  const delegated = async () => {
    const parts = [{ data: { skill: 'delegate', to: 'anna', task: 'paint', parameters: { a: 1 } } }];
    const params = { message: { messageId: `m-${Math.random()}`, role: 'ROLE_USER', parts } };
    const { result } = await call<{ task: { status: { state: string }; artifacts?: { parts: object[] }[] } }>(
      service.url,
      'SendMessage',
      params,
      { ...as('bert'), 'A2A-Version': '1.0' },
    );
    return result.task;
  };
  anna.answer = async (got, response) => {
    const said = anna.saying(got, 'task_result', {}) as unknown as ReturnType<typeof messageOf>;
    replied(response, signed(await encrypted(said, { status: 'completed', result: 'Painted' })));
  };
  expect(await delegated()).toMatchObject({
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [{ parts: [{ text: 'Painted' }] }],
  });
  expect(await opened(anna.got[0] as Message)).toMatchObject({ task: 'paint', parameters: { a: 1 } });
  anna.answer = (got, response) => replied(response, signed(anna.saying(got, 'task_result', {}), foreign));
  const forged = await delegated();
  expect([forged.status.state, JSON.stringify(forged)]).toEqual([
    'TASK_STATE_FAILED',
    expect.stringContaining('agent-answer'),
  ]);
});
