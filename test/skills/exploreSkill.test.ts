import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';
import { bearerOf, identities } from '../support/identities.ts';
import { add, schemaOrg, world } from '../support/patches.ts';
import { call, startServiceOnGraph } from '../support/service.ts';
import { useDatabase, useFolder, useService } from '../support/setUp.ts';
import { artifactOf, faultOf, sendTask } from './tasks.ts';

const settings = { ...identities, TENANTS: 'north,south,west' };
const name = `${schemaOrg}name`;
const nativeName = `${world}nativeName`;
const region = `${world}region`;
const type = `${schemaOrg}Country`;
const closed = [{ rule: 'no-native', predicates: [nativeName], to: { agents: ['outsider'] } }];
const database = useDatabase();
const folder = useFolder({ 'policy.json': JSON.stringify({ closed }) });
const service = useService({ ...settings, POLICY: join(folder, 'policy.json') });
beforeAll(async () => {
  await update('north', [
    add('urn:x:che', name, 'Switzerland', { type }),
    add('urn:x:che', nativeName, 'Confoederatio Helvetica'),
    add('urn:x:swz', name, 'Swaziland', { type, certainty: 0.4 }),
    add('urn:x:vault', name, 'Switzerland of the vault', { graph: 'urn:g:vault' }),
    add('urn:x:odd', name, 'A+B (c:d) AND "e"~ -f* \\ /g/ [h TO i]'),
  ]);
  await update('west', [
    ...['Man', 'Wight', 'Sheppey', 'Skye'].map((of) => add(`urn:x:${of}`, name, `Isle of ${of}`)),
    add('urn:x:fra', name, 'France', { type }),
    add('urn:x:fra', region, 'Europe'),
    add('urn:x:kingston-a', name, 'Kingston', { type: `${schemaOrg}City` }),
    add('urn:x:kingston-b', name, 'Kingston', { type: `${schemaOrg}City` }),
    add('urn:x:jam', name, 'Jamaica', { type }),
    add('urn:x:jam', `${world}capital`, { id: 'urn:x:kingston-b' }),
    add('urn:x:eu', name, 'Europe'),
    add('urn:x:kor', name, 'Republic of Korea'),
    add('urn:x:turned', name, 'Korea of Republic'),
  ]);
});

/** Has them applied, and waits until they are found. */
async function update(tenant: string, mutations: object[]): Promise<void> {
  const caller = bearerOf({ tenant, sub: 'atlas' });
  const { result } = await call<UpdateResult>(service.url, 'knowledge/update', { mutations }, caller);
  expect(result.success).toBe(true);
  await refreshed();
}

/** Waits until the full-text index has what is committed. */
async function refreshed(): Promise<void> {
  await database.run('READ', 'CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()');
}

interface Found {
  classes: { name: string }[];
  predicates: { name: string; iri: string; classes: string[]; object: string }[];
  entities: { id: string; type: string; matches: { predicate: string; value: string }[] }[];
}

const atlas = { tenant: 'north', sub: 'atlas' };
async function explore(text: string, caller: object = atlas, further: object = {}): Promise<Found> {
  const task = await sendTask(service.url, bearerOf(caller), { skill: 'explore', text, ...further });
  expect(faultOf(task)).toBeUndefined();
  return artifactOf<Found>(task);
}
const idsOf = ({ entities }: Found) => entities.map(({ id }) => id).sort();

test('explore finds entities by names that are misspelt or only begun, and tells which name it was', async () => {
  const { entities } = await explore('switserland');
  expect(entities.find(({ id }) => id === 'urn:x:che')).toEqual({
    id: 'urn:x:che',
    type,
    matches: [{ predicate: name, value: 'Switzerland', certainty: null }],
  });
  expect(idsOf(await explore('Switz'))).toEqual(['urn:x:che', 'urn:x:vault']);
  expect(idsOf(await explore('helvetica'))).toEqual(['urn:x:che']);
  expect(await explore('Switz', atlas, { first: 1 })).toMatchObject({ entities: [{}] });
  expect(idsOf(await explore('Atlantis'))).toEqual([]);
});

test('explore finds an entity by nothing that its caller does not see', async () => {
  expect(idsOf(await explore('Switzerland', { tenant: 'south', sub: 'sam' }))).toEqual([]);
  const open = { tenant: 'north', sub: 'open', graphs: ['default'] };
  expect(idsOf(await explore('Switzerland', open))).toEqual(['urn:x:che']);
  const outsider = { tenant: 'north', sub: 'outsider' };
  expect(idsOf(await explore('helvetica', outsider))).toEqual([]);
  expect((await explore('native name', outsider)).predicates.map(({ iri }) => iri)).toEqual([name]);
  expect(idsOf(await explore('Swaziland', atlas))).toContain('urn:x:swz');
  expect(idsOf(await explore('Swaziland', atlas, { requiredCertainty: 0.5 }))).not.toContain('urn:x:swz');
  const without = bearerOf({ tenant: 'north', sub: 'tess', scope: 'tasks' });
  const refused = await sendTask(service.url, without, { skill: 'explore', text: 'Switzerland' });
  expect(faultOf(refused)).toMatchObject({ code: -32010, data: { reason: 'missing-scope' } });
});

const west = { tenant: 'west', sub: 'open', graphs: ['default'] };
const order = async (text: string) => (await explore(text, west)).entities.map(({ id }) => id);

test('explore has the likest first: stop words do not win, the name counts more, and the phrase', async () => {
  const found = await explore('capital of Frnace', west);
  expect(found.entities[0]).toMatchObject({ id: 'urn:x:fra', matches: [{ value: 'France' }] });
  expect(found.entities.length).toBeGreaterThan(1);
  expect(found.predicates[0]).toMatchObject({ name: 'capital' });
  expect((await order('of the')).length).toBe(6);
  expect(await order('Europe')).toEqual(['urn:x:eu', 'urn:x:fra']);
  expect((await order('Republic of Korea')).slice(0, 2)).toEqual(['urn:x:kor', 'urn:x:turned']);
  expect((await order('Korea of Republic')).slice(0, 2)).toEqual(['urn:x:turned', 'urn:x:kor']);
});

test('explore brings forward what is joined to another that is found', async () => {
  expect(await order('Kingston')).toEqual(['urn:x:kingston-a', 'urn:x:kingston-b']);
  expect((await order('Kingston Jamaica')).indexOf('urn:x:kingston-b')).toBeLessThan(
    (await order('Kingston Jamaica')).indexOf('urn:x:kingston-a'),
  );
});

test('nothing that its caller does not see changes what explore finds, nor the order', async () => {
  const texts = ['capital of Frnace', 'Kingston Jamaica', 'Kingston', 'Europe', 'Republic of Korea', 'isle man'];
  const all = () => Promise.all(texts.map((text) => explore(text, west)));
  const before = await all();
  const vault = { graph: 'urn:g:vault' };
  const hidden = (extras: object) => [
    ...Array.from({ length: 30 }, (_, index) =>
      add(`urn:x:hidden-${index}`, name, 'France Jamaica Korea isle', extras),
    ),
    add('urn:x:kingston-a', nativeName, 'Jamaica', extras),
    add('urn:x:jam', `${world}capital`, { id: 'urn:x:kingston-a' }, extras),
    add('urn:x:Wight', nativeName, 'Isle of Man', extras),
    add('urn:x:turned', nativeName, 'Republic of Korea', extras),
    add('urn:x:fra', nativeName, 'Europe', extras),
  ];
  await update('west', hidden(vault));
  await update('south', hidden({}));
  expect(await all()).toEqual(before);
  const { entities } = await explore('Europe', { ...west, graphs: ['default', 'urn:g:vault'] });
  expect(entities.find(({ id }) => id === 'urn:x:fra')?.matches.length).toBe(2);
});

test('explore finds classes and predicates by name and description', async () => {
  expect((await explore('curency')).classes).toMatchObject([{ name: 'Currency' }]);
  const { predicates } = await explore('kilometres');
  expect(predicates).toEqual([
    {
      name: 'area',
      iri: `${world}area`,
      description: 'Square kilometres.',
      classes: ['Country'],
      object: 'Float',
    },
  ]);
  expect((await explore('native')).predicates[0]).toMatchObject({ name: 'nativeName', object: 'String' });
});

test('what is special to the full-text index is taken for text', async () => {
  const odd = 'A+B (c:d) AND "e"~ -f* \\ /g/ [h TO i]';
  expect(idsOf(await explore(odd))).toContain('urn:x:odd');
  expect(idsOf(await explore('name:swit* OR tenant:south ^^ ~~'))).toContain('urn:x:che');
  const nothing = await sendTask(service.url, bearerOf(atlas), { skill: 'explore', text: '*:*' });
  expect(faultOf(nothing)).toMatchObject({ code: -32602, data: { issues: [{ path: 'text' }] } });
});

test('the index follows the vocabulary, and without one there is none', async () => {
  const bare = await startServiceOnGraph({ ...settings, VOCABULARY: '', INTROSPECTION: 'false' });
  try {
    const task = await sendTask(bare.url, bearerOf(atlas), { skill: 'explore', text: 'Switzerland' });
    expect(artifactOf<Found>(task)).toEqual({ classes: [], predicates: [], entities: [] });
  } finally {
    await bare.close();
  }
  const again = await startServiceOnGraph(settings);
  try {
    await refreshed();
    const task = await sendTask(again.url, bearerOf(atlas), { skill: 'explore', text: 'Switzerland' });
    expect(idsOf(artifactOf<Found>(task))).toContain('urn:x:che');
  } finally {
    await again.close();
  }
});
