import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Alignment } from '../../../src/alignment/alignment.ts';
import { loadRules, type Rule, type Severity } from '../../../src/alignment/rule.ts';
import { type Suppression, suppress } from '../../../src/graph/erasing/suppression.ts';
import { Dictionary } from '../../../src/graph/names/dictionary.ts';
import { installVocabulary } from '../../../src/graph/setup/installVocabulary.ts';
import { migrate } from '../../../src/graph/setup/migrations.ts';
import { recordUpdates } from '../../../src/graph/updates/ledger.ts';
import type { Patch } from '../../../src/knowledge/patch.ts';
import { identifyPatches } from '../../../src/knowledge/update/applyPatches.ts';
import { type CommitParts, commitGroup, NotAligned } from '../../../src/knowledge/update/commit.ts';
import type { Proposal } from '../../../src/knowledge/update/plan.ts';
import { readVocabulary } from '../../../src/vocabulary/read.ts';
import { literalFieldsOf } from '../../../src/vocabulary/vocabulary.ts';
import { add, remove, replace, schemaOrg, world } from '../../support/patches.ts';
import { emptyGraph } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';

const name = `${schemaOrg}name`;
const Country = `${schemaOrg}Country`;
const City = `${schemaOrg}City`;
const database = useDatabase();
const now = Date.parse('2026-03-01T00:00:00Z');
let parts: CommitParts;
let tenant = '';
let tenants = 0;

/** A rule that finds fault with a value. */
const ruleOn = (value: string, severity: Severity): Rule => ({
  name: `on-${value}`,
  severity,
  message: 'such a value',
  cypher: `UNWIND $patches AS patch WITH patch WHERE patch.value = '${value}'
    RETURN patch.subject AS subject, patch.predicate AS predicate, null AS object, 'is ${value}' AS message`,
});

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
  const vocabulary = await readVocabulary('test/support/world.graphql');
  const dictionary = await Dictionary.load(database);
  await installVocabulary(database, dictionary, vocabulary, () => {});
  await dictionary.ensure(['urn:p:x'], []);
  const rules = [...(await loadRules()), ruleOn('bad', 'reject'), ruleOn('hearsay', 'review'), ruleOn('odd', 'warn')];
  parts = {
    dictionary,
    literalFields: literalFieldsOf(vocabulary),
    certaintyPolicies: new Map(),
    alignment: await Alignment.prepare(database, rules, [dictionary.relationshipType(`${world}code`)]),
    uuid: () => crypto.randomUUID(),
    now: () => now,
    keysSince: () => 0,
  };
});
beforeEach(() => {
  tenants += 1;
  tenant = `t${tenants}`;
});

const proposing = (mutations: object[], more: Partial<Proposal> = {}, sourceAgentId = 'atlas'): Proposal => ({
  tenant,
  update: { id: crypto.randomUUID(), sourceAgentId, proposedAt: now },
  patches: identifyPatches(tenant, mutations as Patch[]),
  ...more,
});
const commit = (...proposals: Proposal[]) => database.write((tx) => commitGroup(tx, tenant, proposals, parts), 30_000);
const edges = (subject: string) =>
  database.run(
    'READ',
    `MATCH ({tenant: $tenant, id: $subject})-[r]->(o)
     RETURN type(r) AS type, o.value AS value, r.revision AS revision, r.retractedRevision AS until, r.sourceAgentId AS agent
     ORDER BY r.revision, value`,
    { tenant, subject },
  );

const certaintyOf = async (id: string) =>
  (
    await database.run<{ highest: number | null }>(
      'READ',
      'MATCH (e:Entity {tenant: $tenant, id: $id}) RETURN e.highest__certainty AS highest',
      { tenant, id },
    )
  )[0]?.highest;

/** By the place in the group, the rules that don't let a proposal through. */
async function refused(...proposals: Proposal[]): Promise<Record<number, string[]>> {
  const error = await commit(...proposals).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof NotAligned)) throw new Error('The rules let it through', { cause: error });
  return Object.fromEntries(
    [...error.violations].map(([index, violations]) => [index, violations.map(({ rule }) => rule)]),
  );
}

test('each of a group meets the graph, and the revision, that those before it have left', async () => {
  const verdicts = await commit(
    proposing([add('urn:a', name, 'one')], { expectedRevision: 0 }),
    proposing([add('urn:a', name, 'one')]),
    proposing([add('urn:b', name, 'two')], { expectedRevision: 0 }),
    proposing([add('urn:b', name, 'three')], { expectedRevision: 1 }),
    proposing([remove('urn:a', name, 'one')], { expectedRevision: 3 }),
    proposing([replace('urn:b', name, 'four')]),
  );
  expect(verdicts).toMatchObject([
    { kind: 'applied', update: { revision: 1, statementsAffected: 1, affectedIds: ['urn:a'] } },
    { kind: 'unchanged', revision: 1 },
    { kind: 'conflict', revision: 1 },
    { kind: 'applied', update: { revision: 2 } },
    { kind: 'conflict', revision: 2 },
    { kind: 'applied', update: { revision: 3, statementsAffected: 2 } },
  ]);
  expect(await edges('urn:b')).toMatchObject([
    { type: 'PAST', value: 'three', revision: 2, until: 3 },
    { type: 'NAME', value: 'four', revision: 3, until: null },
  ]);
  const next = await commit(proposing([add('urn:c', name, 'x')]));
  expect(next).toMatchObject([{ kind: 'applied', update: { revision: 4 } }]);
});

test('what a group takes back and states anew leaves each version in the history, with who made it', async () => {
  await commit(proposing([add('urn:a', name, 'x')]));
  await commit(
    proposing([remove('urn:a', name, 'x')]),
    proposing([add('urn:a', name, 'x', { certainty: 0.5 })], {}, 'scout'),
    proposing([add('urn:a', name, 'x', { certainty: 0.6 })], {}, 'scout'),
  );
  expect(await edges('urn:a')).toEqual([
    { type: 'PAST', value: 'x', revision: 1, until: 2, agent: 'atlas' },
    { type: 'PAST', value: 'x', revision: 3, until: 4, agent: 'scout' },
    { type: 'NAME', value: 'x', revision: 4, until: null, agent: 'scout' },
  ]);
});

test('what one of a group states and another takes back holds no more', async () => {
  await commit(proposing([add('urn:a', name, 'x')]), proposing([remove('urn:a', name, 'x')]));
  expect(await edges('urn:a')).toMatchObject([{ type: 'PAST', value: 'x', revision: 1, until: 2 }]);
});

test('what several of a group retract at once each retracts at its own revision', async () => {
  await commit(proposing([add('urn:a', name, 'x'), add('urn:b', name, 'y')]));
  await commit(proposing([remove('urn:a', name, 'x')]), proposing([remove('urn:b', name, 'y')]));
  expect(await edges('urn:a')).toMatchObject([{ type: 'PAST', revision: 1, until: 2 }]);
  expect(await edges('urn:b')).toMatchObject([{ type: 'PAST', revision: 1, until: 3 }]);
});

test('a class that one of a group gives holds for those after it', async () => {
  const first = proposing([add('urn:a', name, 'one')]);
  const second = proposing([add('urn:a', name, 'one', { type: Country })]);
  const other = proposing([add('urn:a', name, 'one', { type: City })]);
  expect(await refused(first, second, other)).toEqual({ 2: ['class-mismatch'] });
  expect(await commit(first, second)).toMatchObject([
    { kind: 'applied', update: { affectedIds: ['urn:a'] } },
    { kind: 'applied', update: { statementsAffected: 0, affectedIds: ['urn:a'] } },
  ]);
  const rows = await database.run(
    'READ',
    'MATCH (e:Country {tenant: $tenant}) RETURN e.type AS type, labels(e) AS labels',
    { tenant },
  );
  expect(rows).toEqual([{ type: Country, labels: expect.arrayContaining(['Entity', 'Country']) }]);
  expect(await refused(other)).toEqual({ 0: ['class-mismatch'] });
});

test('a class that an entity of the group is given later must fit what points at it', async () => {
  const pointing = proposing([add('urn:a', `${world}borders`, { id: 'urn:b' })]);
  const classifying = proposing([add('urn:b', name, 'B', { type: City })]);
  // Both speak of it; apart, the first is let through.
  const mismatch = ['class-mismatch'];
  expect(await refused(pointing, classifying)).toEqual({ 0: mismatch, 1: mismatch });
  expect(await commit(pointing)).toMatchObject([{ kind: 'applied' }]);
  expect(await refused(classifying)).toEqual({ 0: mismatch });
});

test('the rules blame, and warn, those of a group whose statements they speak of', async () => {
  const [good, odd, bad, held] = ['good', 'odd', 'bad', 'hearsay'].map((value) =>
    proposing([add(`urn:${value}`, name, value)]),
  ) as [Proposal, Proposal, Proposal, Proposal];
  expect(await refused(good, bad, odd, held)).toEqual({ 1: ['on-bad'], 3: ['on-hearsay'] });
  expect(await database.run('READ', 'MATCH (n {tenant: $tenant}) RETURN n', { tenant })).toEqual([]);
  expect(await commit(good, odd)).toMatchObject([
    { kind: 'applied', warnings: [] },
    { kind: 'applied', warnings: [{ rule: 'on-odd', severity: 'warn', message: 'is odd' }] },
  ]);
});

test('an approval lets a proposal past the rules that hold it, and past no other', async () => {
  const held = proposing([add('urn:a', name, 'hearsay')]);
  const bad = proposing([add('urn:a', name, 'hearsay'), add('urn:a', name, 'bad')]);
  expect(await refused(held)).toEqual({ 0: ['on-hearsay'] });
  expect(await refused({ ...bad, approvedBy: 'editor' })).toEqual({ 0: ['on-bad', 'on-hearsay'] });
  const record = { ...held.update, status: 'pending' as const, proposal: '[]' };
  await database.write((tx) => recordUpdates(tx, tenant, [record], 0), 10_000);
  // Sent again, it waits as before.
  expect(await commit(held)).toMatchObject([{ kind: 'repeated', update: { status: 'pending' } }]);
  const approved = { ...held, approvedBy: 'editor' };
  expect(await commit(approved)).toMatchObject([
    { kind: 'applied', update: { status: 'applied', reviewedBy: 'editor', revision: 1 } },
  ]);
  expect(await commit(approved)).toMatchObject([{ kind: 'repeated', update: { status: 'applied' } }]);
  expect(await edges('urn:a')).toMatchObject([{ type: 'NAME', value: 'hearsay', agent: 'atlas' }]);
});

test('who may not see a class is told only the general message of a rule that quotes it', async () => {
  await commit(proposing([add('urn:a', name, 'A', { type: Country })]));
  const closed = { classes: new Map([[Country, 'secret']]), predicates: new Map<string, string>() };
  const error = await commit(proposing([add('urn:a', name, 'A', { type: City })], { closed })).catch(
    (thrown: NotAligned) => thrown,
  );
  expect(error).toBeInstanceOf(NotAligned);
  expect((error as NotAligned).violations.get(0)).toEqual([
    {
      rule: 'class-mismatch',
      severity: 'reject',
      subject: 'urn:a',
      predicate: name,
      message: 'an entity is of one class, and of the class that a predicate expects',
    },
  ]);
});

test('what a group leaves of an entity is its highest certainty', async () => {
  const highest = async () =>
    (
      await database.run<{ highest: number | null }>(
        'READ',
        "MATCH (e:Entity {tenant: $tenant, id: 'urn:a'}) RETURN e.highest__certainty AS highest",
        { tenant },
      )
    )[0]?.highest;
  await commit(
    proposing([add('urn:a', 'urn:p:x', 1, { certainty: 0.3 })]),
    proposing([add('urn:a', 'urn:p:x', 2, { certainty: 0.8 })]),
    proposing([add('urn:a', 'urn:p:x', 3, { certainty: 0.5 })]),
  );
  expect(await highest()).toBe(0.8);
  await commit(proposing([remove('urn:a', 'urn:p:x', 2)]));
  expect(await highest()).toBe(0.5);
  await commit(proposing([add('urn:a', 'urn:p:x', 4)]), proposing([add('urn:a', 'urn:p:x', 5)]));
  expect(await highest()).toBeNull();
  await commit(proposing([remove('urn:a', 'urn:p:x', 4)]));
  expect(await highest()).toBeNull();
  await commit(proposing([remove('urn:a', 'urn:p:x', 3)]), proposing([remove('urn:a', 'urn:p:x', 5)]));
  expect(await highest()).toBe(0.3);
});

test('an entity that a later one of a group brings knows how certain it is', async () => {
  await commit(
    proposing([add('urn:a', name, 'A')]),
    proposing([add('urn:a', `${world}borders`, { id: 'urn:b' }, { certainty: 0.3 })]),
    proposing([add('urn:b', `${world}borders`, { id: 'urn:c' }, { certainty: 0.6 })]),
  );
  expect(await Promise.all(['urn:a', 'urn:b', 'urn:c'].map(certaintyOf))).toEqual([null, 0.6, 0.6]);
});

test('what would bring back what was erased is held against the one that says it, behind others that say nothing', async () => {
  const suppression: Suppression = { keys: ['a key of suppression with 32 characters'], mode: 'review' };
  await commit(proposing([add('urn:kept', name, 'kept')]));
  await database.write((tx) => suppress(tx, tenant, suppression, { subject: 'urn:erased' }, now), 30_000);
  const group = [
    proposing([add('urn:kept', name, 'kept')]),
    proposing([add('urn:kept', name, 'more')], { expectedRevision: 0 }),
    proposing([add('urn:erased', name, 'back')]),
  ];
  const committed = database.write((tx) => commitGroup(tx, tenant, group, { ...parts, suppression }), 30_000);
  const error = await committed.catch((thrown: NotAligned) => thrown);
  expect([...(error as NotAligned).violations]).toEqual([[2, [expect.objectContaining({ rule: 'suppressed' })]]]);
});
