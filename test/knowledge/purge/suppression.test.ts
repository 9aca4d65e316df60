import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../src/config/config.ts';
import { countByKey } from '../../../src/graph/erasing/suppression.ts';
import type { PurgeResult } from '../../../src/knowledge/purge/purge.ts';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import type { Service } from '../../../src/service/startService.ts';
import { Command, concord } from '../../cli/command.ts';
import { bearerOf, identities, tokenOf } from '../../support/identities.ts';
import { add, remove, replace, schemaOrg } from '../../support/patches.ts';
import { call, startServiceOnGraph } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const name = `${schemaOrg}name`;
const knows = `${schemaOrg}knows`;
const [alice, bob] = ['urn:person:alice', 'urn:person:bob'];
const settings = { ...identities, SUPPRESSION_KEY: 'a key of suppression with 32 characters' };

const database = useDatabase();
const reviewing = useService(settings);
let refusing: Service;
let forgetful: Service;
beforeAll(async () => {
  refusing = await startServiceOnGraph({ ...settings, SUPPRESSION: 'refuse' });
  forgetful = await startServiceOnGraph(identities);
});
afterAll(async () => {
  await refusing?.close();
  await forgetful?.close();
});

let tenant: string;
let tenants = 0;
beforeEach(() => {
  tenants += 1;
  tenant = `t${tenants}`;
});
const asked = async <Result>(service: { url: string }, method: string, params: object, of = tenant) => {
  const { result, error } = await call<Result>(service.url, method, params, bearerOf({ tenant: of, sub: 'atlas' }));
  if (error) throw new Error(error.message);
  return result;
};
const update = (service: { url: string }, mutations: object[], more: object = {}, of = tenant) =>
  asked<UpdateResult>(service, 'knowledge/update', { mutations, ...more }, of);
const purge = (service: { url: string }, params: object) => asked<PurgeResult>(service, 'knowledge/purge', params);
const review = (params: object) => asked<UpdateResult>(reviewing, 'knowledge/review', params);

/** Every property of every node and relationship of the tenant, as one text. */
async function dump(): Promise<string> {
  const rows = await database.run<{ all: unknown }>(
    'READ',
    `MATCH (n) WHERE n.tenant = $tenant RETURN [labels(n), properties(n)] AS all
     UNION ALL MATCH (n)-[r]->() WHERE n.tenant = $tenant RETURN [type(r), properties(r)] AS all`,
    { tenant },
  );
  return JSON.stringify(rows);
}

test('what would bring back what was erased is held for review, and everything else is taken', async () => {
  await update(reviewing, [add(alice, name, 'Alice'), add(bob, knows, { id: alice })]);
  expect(await purge(reviewing, { subject: alice })).toMatchObject({ suppressed: true });
  expect(await dump()).not.toContain('alice');
  for (const back of [add(alice, name, 'Alice'), add(bob, knows, { id: alice })]) {
    const held = await update(reviewing, [back, add(bob, name, 'Bob')]);
    expect(held).toMatchObject({
      verificationStatus: 'Pending Review',
      verificationDetails: 'suppressed: 1 statement would bring back what was erased for good',
      violations: [{ rule: 'suppressed', severity: 'review', subject: back.statement.subject.id }],
    });
  }
  expect(await update(reviewing, [add(bob, name, 'Bob')])).toMatchObject({ verificationStatus: 'Verified' });
  // Of the same id elsewhere nothing is known.
  const elsewhere = await update(reviewing, [add(alice, name, 'Alice')], {}, 'elsewhere');
  expect(elsewhere).toMatchObject({ verificationStatus: 'Verified' });
});

test('a reviewer lets it back, and it can be stated again; or rejects it, and nothing of it is left', async () => {
  await update(reviewing, [add(alice, name, 'Alice')]);
  await purge(reviewing, { subject: alice });
  const rejected = await update(reviewing, [add(alice, name, 'Alice')], { justification: `of ${alice}` });
  await review({ action: 'reject', updateId: rejected.updateId });
  expect(await dump()).not.toContain('alice');
  const { updateId } = await update(reviewing, [add(alice, name, 'Alice')]);
  expect(await review({ action: 'approve', updateId })).toMatchObject({ verificationStatus: 'Verified' });
  expect(await update(reviewing, [add(alice, name, 'Alice')])).toMatchObject({
    verificationStatus: 'Verified',
    statementsAffected: 0,
  });
});

test('what was held for another reason just before the purge brings nothing back when it is approved after it', async () => {
  await update(reviewing, [add(alice, name, 'Alice')]);
  await purge(reviewing, { subject: alice });
  const { updateId } = await update(reviewing, [add(alice, name, 'Alice')]);
  // As if its transaction had looked at the list before the purge, and the record had come after it.
  await database.run(
    'WRITE',
    "MATCH (u:Update {id: $updateId}) SET u.verificationDetails = 'a rule: it is uncertain'",
    {
      updateId,
    },
  );
  expect(await review({ action: 'approve', updateId })).toMatchObject({
    verificationStatus: 'Pending Review',
    violations: [{ rule: 'suppressed', subject: alice }],
  });
  const found = await database.run('READ', 'MATCH (n:Entity {tenant: $tenant, id: $alice}) RETURN n', {
    tenant,
    alice,
  });
  expect(found).toHaveLength(0);
});

test('what is stated and taken back in one update is held too, for the log and subscribers would have it', async () => {
  await update(reviewing, [add(alice, name, 'Alice')]);
  await purge(reviewing, { subject: alice });
  const both = [add(alice, name, 'Alice'), remove(alice, name, 'Alice')];
  const held = await update(reviewing, both);
  expect(held).toMatchObject({ verificationStatus: 'Pending Review', violations: [{ rule: 'suppressed' }] });
  const replaced = [replace(alice, name, 'Al'), remove(alice, name, 'Al'), add(bob, name, 'Bob')];
  expect(await update(refusing, replaced)).toMatchObject({ success: false, violations: [{ rule: 'suppressed' }] });
});

test('of a purge by predicate only that predicate is kept away, until it is lifted', async () => {
  await update(reviewing, [add(alice, name, 'Alice')]);
  await purge(reviewing, { subject: alice, predicate: name });
  expect(await update(reviewing, [add(alice, knows, { id: bob })])).toMatchObject({
    verificationStatus: 'Verified',
  });
  const back = [add(alice, name, 'Alice')];
  expect(await update(reviewing, back)).toMatchObject({ verificationStatus: 'Pending Review' });
  expect(await purge(reviewing, { subject: alice, predicate: name, lift: true })).toMatchObject({
    lifted: true,
  });
  expect(await update(reviewing, back)).toMatchObject({ verificationStatus: 'Verified' });
  expect(await purge(reviewing, { subject: alice, lift: true })).toMatchObject({ lifted: false });
});

test('where it is refused, the graph keeps no trace of the attempt; without the key nothing is kept away', async () => {
  await update(refusing, [add(alice, name, 'Alice')]);
  await purge(refusing, { subject: alice });
  const refused = await update(refusing, [add(alice, name, 'Alice')], { justification: `of ${alice}` });
  expect(refused).toMatchObject({ success: false, violations: [{ rule: 'suppressed', severity: 'reject' }] });
  expect(refused.updateId).toBeUndefined();
  expect(await dump()).not.toContain('alice');
  expect(await update(forgetful, [add(alice, name, 'Alice')])).toMatchObject({
    verificationStatus: 'Verified',
  });
  expect(await purge(forgetful, { subject: alice })).toMatchObject({ suppressed: false });
});

test('a service that is to refuse it needs the key', () => {
  expect(() => readConfig({ SUPPRESSION: 'refuse' })).toThrow(/SUPPRESSION: .*SUPPRESSION_KEY/);
});

describe('a change of the key', () => {
  const older = settings.SUPPRESSION_KEY;
  const newer = 'another key, of this year, has 32 as well';
  let both: Service;
  let onlyNewer: Service;
  beforeAll(async () => {
    both = await startServiceOnGraph({ ...identities, SUPPRESSION_KEY: `${newer}\n${older}\n` });
    onlyNewer = await startServiceOnGraph({ ...identities, SUPPRESSION_KEY: newer });
  });
  afterAll(async () => {
    await both?.close();
    await onlyNewer?.close();
  });
  const keptAwayBy = async (service: { url: string }, patch: object) =>
    (await update(service, [patch], { metadata: { onSuppressed: 'refuse' } })).success === false;
  const counted = async () =>
    (
      await database.run<{ listed: number; counted: number }>(
        'READ',
        `MATCH (l:Ledger {tenant: $tenant}) OPTIONAL MATCH (s:Suppression {tenant: $tenant})
         RETURN count(s) AS listed, l.suppressions AS counted`,
        { tenant },
      )
    )[0];

  test('what was suppressed under the old key stays so, and what is from now on is under the first one', async () => {
    await update(reviewing, [add(alice, name, 'Alice'), add(bob, name, 'Bob')]);
    await purge(reviewing, { subject: alice });
    expect(await keptAwayBy(both, add(alice, name, 'Alice'))).toBe(true);
    expect(await keptAwayBy(both, add(bob, knows, { id: alice }))).toBe(true);
    await purge(both, { subject: bob, predicate: name });
    for (const service of [both, onlyNewer]) expect(await keptAwayBy(service, add(bob, name, 'Bob'))).toBe(true);
    // The old key knows nothing of that, nor the new one of what was before.
    expect(await keptAwayBy(reviewing, add(bob, name, 'Bob'))).toBe(false);
    expect(await keptAwayBy(onlyNewer, add(alice, name, 'Alice'))).toBe(false);
  });

  test('a purge that is made again moves to the first key, and is counted once', async () => {
    await update(reviewing, [add(alice, name, 'Alice')]);
    await purge(reviewing, { subject: alice });
    await purge(both, { subject: alice });
    expect(await counted()).toEqual({ listed: 1, counted: 1 });
    expect(await keptAwayBy(onlyNewer, add(alice, name, 'Alice'))).toBe(true);
  });

  test('it is lifted under whichever key it is', async () => {
    await update(reviewing, [add(alice, name, 'Alice')]);
    await purge(reviewing, { subject: alice });
    expect(await purge(both, { subject: alice, lift: true })).toMatchObject({ lifted: true });
    expect(await counted()).toEqual({ listed: 0, counted: 0 });
    for (const service of [reviewing, both]) expect(await keptAwayBy(service, add(alice, name, 'Alice'))).toBe(false);
  });

  test('it is known how much is under older keys, and under one that is missing', async () => {
    await database.run('WRITE', 'MATCH (s:Suppression) DELETE s');
    await update(reviewing, [add(alice, name, 'Alice')]);
    await purge(reviewing, { subject: alice });
    await purge(both, { subject: bob });
    const under = (...keys: string[]) => database.read((tx) => countByKey(tx, keys), 10_000);
    expect(await under(newer, older)).toEqual({ older: 1, unknown: 0 });
    expect(await under(newer)).toEqual({ older: 0, unknown: 1 });
    expect(await under()).toEqual({ older: 0, unknown: 2 });
  });

  test('the start warns of a key that is missing', async () => {
    await update(reviewing, [add(alice, name, 'Alice')]);
    await purge(reviewing, { subject: alice });
    const { child, ended } = new Command(['start'], {
      env: { ...identities, PORT: '0', LOG_LEVEL: 'warn', SUPPRESSION_KEY: newer },
    });
    child.stdout?.on('data', (line) => String(line).includes('may come back') && child.kill('SIGTERM'));
    const { printed } = await ended;
    expect(printed).toMatch(/"suppressions":\d+,.*kept away under a key that is not in SUPPRESSION_KEY/);
    expect(printed).not.toContain(newer);
  });

  test('each of the keys has 32 characters', () => {
    const read = (key: string) => readConfig({ SUPPRESSION_KEY: key }).SUPPRESSION_KEY;
    expect(read(`${newer}\r\n${older}\n`)).toEqual([newer, older]);
    expect(() => read(`${newer}\nshort`)).toThrow(/SUPPRESSION_KEY.*has fewer than 32 characters/);
    expect(() => read('\n')).toThrow(/SUPPRESSION_KEY.*holds no key/);
  });
});

test.each([
  ['review', () => reviewing, 1],
  ['refuse', () => refusing, 0],
])('an import leaves it out and counts it, and takes the rest (%s)', async (_, service, proposals) => {
  await update(reviewing, [add(alice, name, 'Alice')]);
  await purge(reviewing, { subject: alice });
  const input = [
    `<${alice}> <${name}> "Alice" .`,
    `<${bob}> <${name}> "Bob" .`,
    `<${bob}> <${knows}> <${alice}> .`,
    `<${bob}> <${knows}> <urn:person:carol> .`,
  ].join('\n');
  const env = { CONCORD_TOKEN: tokenOf({ tenant, sub: 'atlas' }) };
  const words = ['import', '-', '--format', 'nt', '--json'];
  const { code, printed } = await concord(words, { url: service().url, input, env });
  expect([code, JSON.parse(printed)]).toMatchObject([
    3,
    { statements: 4, applied: 2, suppressed: 2, rejected: 0, pending: 0 },
  ]);
  const listed = await asked<{ proposals: { mutations: object[] }[] }>(reviewing, 'knowledge/review', {
    action: 'list',
  });
  expect(listed.proposals.map(({ mutations }) => mutations.length)).toEqual(proposals === 0 ? [] : [2]);
});
