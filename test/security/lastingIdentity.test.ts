import { beforeAll, expect, test } from '@jest/globals';
import { migrate } from '../../src/graph/setup/migrations.ts';
import { ApiKeyStore } from '../../src/security/apiKeyStore.ts';
import { isLasting, type Maker, recaller } from '../../src/security/lastingIdentity.ts';
import { localPrincipal } from '../../src/security/principal.ts';
import { eventually } from '../a2a/testService.ts';
import { emptyGraph } from '../support/service.ts';
import { useDatabase } from '../support/setUp.ts';

const database = useDatabase();
const keys = new ApiKeyStore(database);
const recall = recaller({ identities: true, keys, tenants: new Set(['north']) });

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
});

async function keyOf(grant: { tenant?: string; graphs?: string[] } = {}): Promise<Maker & { keyId: string }> {
  const { record } = await keys.create({
    tenant: 'north',
    agentId: 'ann',
    scopes: ['knowledge:subscribe'],
    ...grant,
  });
  return { tenant: record.tenant, agentId: record.agentId, keyId: record.id };
}

const refused = (reason: string) => ({ data: { reason } });

test('a maker may do what its key is good for now', async () => {
  const maker = await keyOf({ graphs: ['urn:g'] });
  expect(await recall(maker)).toEqual({
    ...maker,
    scopes: new Set(['knowledge:subscribe']),
    graphs: { default: false, named: ['urn:g'] },
  });
  await database.run('WRITE', 'MATCH (k:ApiKey {id: $keyId}) SET k.scopes = [], k.graphs = []', maker);
  expect(await recall(maker)).toMatchObject({ scopes: new Set(), graphs: { default: false, named: [] } });
});

test('a key that something is done by counts as used', async () => {
  const maker = await keyOf();
  await recall(maker);
  await eventually(async () => (await keys.find(maker.keyId))?.lastUsedAt !== undefined);
});

test('it may do nothing any more once its key is revoked, gone, or of somebody else', async () => {
  const maker = await keyOf();
  await expect(recall({ ...maker, agentId: 'bob' })).rejects.toMatchObject(refused('unknown-key'));
  await expect(recall({ ...maker, tenant: 'south' })).rejects.toMatchObject(refused('unknown-key'));
  await keys.revoke(maker.keyId);
  await expect(recall(maker)).rejects.toMatchObject(refused('revoked-key'));
  await expect(recall({ ...maker, keyId: 'none' })).rejects.toMatchObject(refused('unknown-key'));
});

test('nor where its tenant is served no longer, or keys are taken no longer', async () => {
  const maker = await keyOf({ tenant: 'south' });
  await expect(recall(maker)).rejects.toMatchObject(refused('tenant-not-allowed'));
  await expect(recaller({ identities: true })(maker)).rejects.toMatchObject(refused('not-accepted'));
  await expect(recaller({ identities: false })(maker)).rejects.toMatchObject(refused('not-accepted'));
});

test('the local principal is recalled where there are no identities, and only there', async () => {
  expect(await recaller({ identities: false })({ tenant: 'default' })).toBe(localPrincipal);
  await expect(recall({ tenant: 'default' })).rejects.toMatchObject(refused('not-accepted'));
});

test('who came by a token makes nothing that lasts', () => {
  const ann = { tenant: 'north', agentId: 'ann', scopes: new Set<never>() };
  expect([ann, { ...ann, keyId: 'k' }, localPrincipal].map(isLasting)).toEqual([false, true, true]);
});
