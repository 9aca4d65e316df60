import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Database } from '../../src/graph/database/database.ts';
import { migrate } from '../../src/graph/setup/migrations.ts';
import { apiKeyText, hashOf, newApiKey, parseApiKey } from '../../src/security/apiKey.ts';
import { ApiKeyStore } from '../../src/security/apiKeyStore.ts';
import { apiKeyVerifier } from '../../src/security/apiKeyVerifier.ts';
import { createAuthenticator } from '../../src/security/authenticator.ts';
import type { Scope } from '../../src/security/principal.ts';
import { testDatabase } from '../support/service.ts';

const database = testDatabase();
const store = new ApiKeyStore(database);
const tenant = `tenant-${randomUUID()}`;
const scopes: Scope[] = ['knowledge:query', 'knowledge:update'];
const scout = { tenant, agentId: 'scout', scopes };

beforeAll(() => migrate(database));
afterAll(async () => {
  await database.run('WRITE', 'MATCH (k:ApiKey {tenant: $tenant}) DELETE k', { tenant });
  await database.close();
});

/** A database that counts what it is asked for. */
function counting(): { store: ApiKeyStore; asked: () => number } {
  let asked = 0;
  const counted = new ApiKeyStore(database);
  const find = counted.find.bind(counted);
  counted.find = (id) => {
    asked += 1;
    return find(id);
  };
  return { store: counted, asked: () => asked };
}

test('a key names its principal until it is revoked, and every replica learns of it', async () => {
  const { key, record } = await store.create({ ...scout, graphs: ['default', 'urn:g:a'] });
  const replicas = [1, 2].map(() => apiKeyVerifier(store, { cacheMs: 300 }));
  const authenticate = createAuthenticator({ apiKeys: replicas[0], refused: () => {} });
  const principal = {
    keyId: record.id,
    tenant,
    agentId: 'scout',
    scopes: new Set(scopes),
    graphs: { default: true, named: ['urn:g:a'] },
  };
  for (const verify of replicas) expect(await verify(key)).toEqual(principal);
  expect(await authenticate({ apiKey: key })).toEqual(principal);
  expect(await authenticate({ authorization: `Bearer ${key}` })).toEqual(principal);
  expect(await authenticate({ metadataToken: key, apiKey: key })).toEqual(principal);

  await store.revoke(record.id);
  await sleep(400);
  for (const verify of replicas) {
    await expect(verify(key)).rejects.toMatchObject({ status: 401, reason: 'revoked-key' });
  }
  await expect(authenticate({ apiKey: key })).rejects.toMatchObject({ status: 401, reason: 'revoked-key' });
});

test('what is kept does not open the door', async () => {
  const { key, record } = await store.create(scout);
  const secret = parseApiKey(key)?.secret ?? '';
  const kept = await database.run('READ', 'MATCH (k:ApiKey {id: $id}) RETURN properties(k) AS kept', record);
  expect(JSON.stringify(kept)).not.toContain(secret);
  expect(record.hash).toBe(hashOf(secret));
  await expect(apiKeyVerifier(store)(`concord_${record.id}_${record.hash}`)).rejects.toMatchObject({
    reason: 'malformed',
  });
});

test('a wrong secret, an unknown id and a revoked key of which one knows the id only look the same', async () => {
  const { record } = await store.create(scout);
  const { record: ended } = await store.create(scout);
  await store.revoke(ended.id);
  const verify = apiKeyVerifier(store);
  for (const id of [record.id, ended.id, newApiKey().id]) {
    const guess = apiKeyText({ id, secret: newApiKey().secret });
    await expect(verify(guess)).rejects.toMatchObject({ status: 401, reason: 'unknown-key' });
  }
});

test.each(['', 'concord_', 'concord_0123456789abcdef_', 'concord_X_Y', 'x'.repeat(100_000)])(
  '%.30s is no key',
  async (text) => {
    await expect(apiKeyVerifier(store)(text)).rejects.toMatchObject({ status: 401, reason: 'malformed' });
  },
);

test('many requests at once ask the database once, for known keys and unknown ones', async () => {
  const { key } = await store.create(scout);
  const { store: counted, asked } = counting();
  const verify = apiKeyVerifier(counted);
  await Promise.all(Array.from({ length: 50 }, () => verify(key)));
  await verify(key);
  expect(asked()).toBe(1);
  const unknown = apiKeyText(newApiKey());
  for (let i = 0; i < 5; i++) await expect(verify(unknown)).rejects.toMatchObject({ reason: 'unknown-key' });
  expect(asked()).toBe(2);
});

test('that a key is in use is recorded, once an hour', async () => {
  let time = Date.parse('2030-01-01T00:00:00Z');
  const clocked = new ApiKeyStore(database, () => time);
  const { key, record } = await clocked.create(scout);
  expect(record).toMatchObject({ createdAt: '2030-01-01T00:00:00Z' });
  expect(record.lastUsedAt).toBeUndefined();
  const verify = apiKeyVerifier(clocked, { now: () => time });
  const lastUsed = async (expected: string) => {
    for (let i = 0; i < 100 && (await store.find(record.id))?.lastUsedAt !== expected; i++) await sleep(20);
    expect((await store.find(record.id))?.lastUsedAt).toBe(expected);
  };
  await verify(key);
  await lastUsed('2030-01-01T00:00:00Z');
  time += 1_800_000;
  await verify(key);
  await sleep(100);
  await lastUsed('2030-01-01T00:00:00Z');
  time += 1_800_000;
  await verify(key);
  await lastUsed('2030-01-01T01:00:00Z');
});

test('keys are listed by tenant, and revoking again changes nothing', async () => {
  let time = Date.parse('2031-01-01T00:00:00Z');
  const clocked = new ApiKeyStore(database, () => time);
  const own = `${tenant}-list`;
  const { record } = await clocked.create({ ...scout, tenant: own, graphs: [] });
  expect(await store.list(own)).toEqual([record]);
  expect(record.graphs).toEqual([]);
  expect((await clocked.revoke(record.id))?.revokedAt).toBe('2031-01-01T00:00:00Z');
  time += 1_000;
  expect((await clocked.revoke(record.id))?.revokedAt).toBe('2031-01-01T00:00:00Z');
  expect(await store.revoke('ffffffffffffffff')).toBeUndefined();
  await database.run('WRITE', 'MATCH (k:ApiKey {tenant: $own}) DELETE k', { own });
});

test('an entity that agents have made never counts as a key', async () => {
  const key = newApiKey();
  await database.run(
    'WRITE',
    `CREATE (:Entity:ApiKey {id: $id, hash: $hash, tenant: $tenant, agentId: 'root', scopes: $scopes, createdAt: datetime()})`,
    { id: key.id, hash: hashOf(key.secret), tenant, scopes },
  );
  await expect(apiKeyVerifier(store)(apiKeyText(key))).rejects.toMatchObject({ reason: 'unknown-key' });
  expect((await store.list(tenant)).map(({ id }) => id)).not.toContain(key.id);
  expect(await store.revoke(key.id)).toBeUndefined();
});

test('while the database is away nobody is told to be unknown', async () => {
  const away = new Database({ uri: 'bolt://127.0.0.1:1', user: 'neo4j', password: 'x', database: 'neo4j' });
  const verify = apiKeyVerifier(new ApiKeyStore(away));
  await expect(verify(apiKeyText(newApiKey()))).rejects.toMatchObject({
    status: 503,
    reason: 'identities-unavailable',
  });
  await away.close();
});
