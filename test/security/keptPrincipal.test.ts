import { expect, test } from '@jest/globals';
import { keptPrincipal, keptRecaller } from '../../src/security/keptPrincipal.ts';
import type { Recall } from '../../src/security/lastingIdentity.ts';
import { localPrincipal, type Principal } from '../../src/security/principal.ts';
import { Unauthenticated } from '../../src/security/refused.ts';

const own: Principal = {
  ...{ tenant: 'north', agentId: 'ann', keyId: 'k1' },
  scopes: new Set(['agents', 'knowledge:query']),
  graphs: { default: true, named: ['urn:a', 'urn:b'] },
};
const { keyId: _, ...ofToken } = { ...own, expiresAt: 1_000 };
/** As it comes back from the graph. */
const kept = (principal: Principal) => JSON.parse(JSON.stringify(keptPrincipal(principal)));
const never: Recall = async () => {
  throw new Error('It is not looked up');
};
const knowing =
  (found: Partial<Principal>): Recall =>
  async (maker) => ({ ...own, ...maker, ...found });

test('of a key only what it granted then and grants now is left', async () => {
  const found = knowing({
    scopes: new Set(['agents', 'admin']),
    graphs: { default: false, named: ['urn:b', 'urn:c'] },
  });
  expect(await keptRecaller(found, undefined, () => 0)(kept(own))).toEqual({
    ...own,
    scopes: new Set(['agents']),
    graphs: { default: false, named: ['urn:b'] },
  });
});

test('a key that sees all graphs now, or saw all then, sees those of the other time', async () => {
  const all: Recall = async (maker) => ({ ...maker, scopes: own.scopes });
  expect((await keptRecaller(all, undefined, () => 0)(kept(own))).graphs).toEqual(own.graphs);
  const { graphs: _all, ...unlimited } = own;
  expect((await keptRecaller(knowing({}), undefined, () => 0)(kept(unlimited))).graphs).toEqual(own.graphs);
});

test('a key that is no longer good, and a token that has expired, grant nothing', async () => {
  const revoked: Recall = async () => {
    throw new Unauthenticated('revoked-key');
  };
  const refused = (reason: string) => ({ data: { reason } });
  await expect(keptRecaller(revoked, undefined, () => 0)(kept(own))).rejects.toMatchObject(refused('revoked-key'));
  const at = (now: number) => keptRecaller(never, undefined, () => now)(kept(ofToken));
  expect(await at(999)).toEqual(ofToken);
  await expect(at(1_000)).rejects.toMatchObject(refused('expired'));
  const { expiresAt: _, ...endless } = ofToken;
  await expect(keptRecaller(never, undefined, () => 0)(kept(endless))).rejects.toMatchObject(refused('expired'));
});

test('nor does a token whose tenant is served no longer', async () => {
  const recall = keptRecaller(never, new Set(['south']), () => 0);
  await expect(recall(kept(ofToken))).rejects.toMatchObject({ data: { reason: 'tenant-not-allowed' } });
});

test('the local principal is looked up, for identities may be asked for since', async () => {
  const recall = keptRecaller(
    async () => localPrincipal,
    undefined,
    () => 0,
  );
  expect(await recall(kept(localPrincipal))).toEqual(localPrincipal);
});
