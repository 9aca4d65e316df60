import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Alignment, type RulePatch } from '../../src/alignment/alignment.ts';
import { loadRules } from '../../src/alignment/rule.ts';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';
import type { Service } from '../../src/service/startService.ts';
import { add, type Extras, remove, replace, schemaOrg, world } from '../support/patches.ts';
import { call, startServiceOnGraph } from '../support/service.ts';
import { useDatabase, useService } from '../support/setUp.ts';

const database = useDatabase();
let de: string;
let count = 0;

const Country = `${schemaOrg}Country`;
const City = `${schemaOrg}City`;

const service = useService({ AGENT_TRUST: 'rumour=0.49,atlas=0.5' });
beforeEach(() => {
  count += 1;
  de = `urn:test:de-${count}`;
});

const update = async (mutations: object[], sourceAgentId = 'atlas', url = service.url) => {
  const { result, error } = await call<UpdateResult>(url, 'knowledge/update', { mutations, sourceAgentId });
  if (error) throw new Error(error.message);
  return result;
};

const expectRejected = async (rule: string, mutations: object[]) => {
  const result = await update(mutations);
  expect(result).toMatchObject({
    success: false,
    statementsAffected: 0,
    verificationStatus: 'Rejected - Constraint Violation',
    violations: expect.arrayContaining([expect.objectContaining({ rule, severity: 'reject' })]),
  });
  expect(result.verificationDetails).toContain(`${rule}: `);
  return result.violations ?? [];
};

const expectApplied = async (mutations: object[]) => {
  const result = await update(mutations);
  expect(result).toMatchObject({ success: true, verificationStatus: 'Verified' });
  return result;
};

describe('literal-type', () => {
  const name = `${schemaOrg}name`;
  test.each<[string, string, object | string | number | boolean]>([
    ['a String', name, 'Germany'],
    ['a String in a language', name, { value: 'Deutschland', language: 'de' }],
    ['an empty String', name, ''],
    ['a long String where there is no index', `${world}region`, 'x'.repeat(10_000)],
    ['an Int', `${world}population`, 83_000_000],
    ['the largest Int', `${world}population`, 2_147_483_647],
    ['the least Int', `${world}population`, -2_147_483_648],
    ['a Float', `${world}area`, 357_022.5],
    ['a whole Float', `${world}area`, 357_022],
    ['a Boolean', `${world}landlocked`, false],
    ['a link', `${world}borders`, { id: 'urn:test:fr' }],
    ['anything outside of the vocabulary', 'urn:p:any', true],
  ])('%s is taken', async (_what, predicate, object) => {
    await expectApplied([add(de, predicate, object)]);
  });

  test.each<[string, string, object | string | number | boolean, string]>([
    ['a number for a String', name, 5, 'does not fit the field type String'],
    ['an entity for a String', name, { id: 'urn:a' }, 'is an entity'],
    ['too long a String for an index', name, 'x'.repeat(2_001), '2,000 characters'],
    ['text for an Int', `${world}population`, '83', 'Int'],
    ['a fraction for an Int', `${world}population`, 1.5, 'Int'],
    ['a double for an Int', `${world}population`, { value: 3, type: 'xsd:double' }, 'Int'],
    ['an Int beyond 32 bits', `${world}population`, 2_147_483_648, 'Int'],
    ['an Int below 32 bits', `${world}population`, -2_147_483_649, 'Int'],
    ['text for a Float', `${world}area`, 'large', 'Float'],
    ['a boolean for a Float', `${world}area`, true, 'Float'],
    ['text for a Boolean', `${world}landlocked`, 'true', 'Boolean'],
    ['a literal for a link', `${world}borders`, 'France', 'is a literal'],
  ])('%s is rejected', async (_what, predicate, object, message) => {
    const [violation] = await expectRejected('literal-type', [add(de, predicate, object)]);
    expect(violation).toMatchObject({ subject: de, predicate, message: expect.stringContaining(message) });
  });

  test('what is there already and does not fit can be removed', async () => {
    await expectApplied([add(de, `${schemaOrg}name`, 'Germany')]);
    await database.run('WRITE', 'MATCH ({id: $de})-[:NAME]->(l) SET l.value = 5', { de });
    await expectApplied([remove(de, `${schemaOrg}name`, 'Germany')]);
  });

  test('of 500 faults twenty are named', async () => {
    const violations = await expectRejected(
      'literal-type',
      Array.from({ length: 500 }, (_, n) => add(`${de}/${n}`, `${world}population`, 'many')),
    );
    expect(violations).toHaveLength(20);
  });
});

describe('functional-predicate', () => {
  const code = (value: string, extras: Extras = {}) => add(de, `${world}code`, value, extras);

  test('two objects at once, and one after the other, are rejected', async () => {
    const [violation] = await expectRejected('functional-predicate', [code('DEU'), code('GER')]);
    expect(violation).toMatchObject({ subject: de, predicate: `${world}code` });
    await expectApplied([code('DEU')]);
    await expectRejected('functional-predicate', [code('GER')]);
  });

  test('one in each of two graphs, the same again, and another in its place are taken', async () => {
    await expectApplied([code('DEU'), code('GER', { graph: 'urn:g' })]);
    await expectApplied([code('DEU', { certainty: 0.5 })]);
    await expectApplied([replace(de, `${world}code`, 'D')]);
    await expectApplied([remove(de, `${world}code`, 'D'), code('DE')]);
    await expectRejected('functional-predicate', [code('DEU', { graph: 'urn:g' })]);
  });

  test('of twenty writers at once exactly one wins', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => update([code(`code ${n}`)])));
    expect(results.filter(({ success }) => success)).toHaveLength(1);
    const rows = await database.run('READ', 'MATCH ({id: $de})-[:CODE]->(l) RETURN l.value AS value', { de });
    expect(rows).toHaveLength(1);
  });
});

describe('class-mismatch', () => {
  const capital = (id: string, type?: string) => add(de, `${world}capital`, { id, ...(type && { type }) });
  const unclassified = 'urn:p:near';

  test('an object of the class that the field takes, or of none, is taken', async () => {
    await expectApplied([capital(`${de}/1`, City), capital(`${de}/2`)]);
  });

  test('an object of another class is rejected, whether it is new or was there', async () => {
    const [violation] = await expectRejected('class-mismatch', [capital(`${de}/fr`, Country)]);
    expect(violation?.message).toContain(City);
    await expectApplied([add(`${de}/fr`, `${schemaOrg}name`, 'France', { type: Country })]);
    await expectRejected('class-mismatch', [capital(`${de}/fr`)]);
  });

  test('a second class for an entity is rejected, in one update and in two', async () => {
    const named = (type: string, name: string) => add(de, `${schemaOrg}name`, name, { type });
    await expectRejected('class-mismatch', [named(Country, 'a'), named(City, 'b')]);
    await expectApplied([named(Country, 'a')]);
    await expectRejected('class-mismatch', [named(City, 'b')]);
    await expectApplied([named(Country, 'c')]);
  });

  test('a second class is rejected also with a statement that holds already', async () => {
    await expectApplied([add(de, `${schemaOrg}name`, 'a', { type: Country })]);
    await expectRejected('class-mismatch', [add(de, `${schemaOrg}name`, 'a', { type: City })]);
  });

  test('a class given later to what a field points at already must be one that the field takes', async () => {
    const berlin = `${de}/berlin`;
    await expectApplied([capital(berlin), add(de, unclassified, { id: berlin })]);
    const named = (type: string) => add(berlin, `${schemaOrg}name`, 'Berlin', { type });
    const [violation] = await expectRejected('class-mismatch', [named(Country)]);
    expect(violation).toMatchObject({ subject: de, predicate: `${world}capital`, object: berlin });
    await expectApplied([named(City)]);
  });

  test('what pointed there once does not count', async () => {
    const other = `${de}/other`;
    await expectApplied([capital(other)]);
    await expectApplied([remove(de, `${world}capital`, { id: other })]);
    await expectApplied([add(other, `${schemaOrg}name`, 'x', { type: Country })]);
  });
});

describe('low-trust', () => {
  test('below 0.5 is held, 0.5 and nobody known are not', async () => {
    const mutations = [add(de, `${schemaOrg}name`, 'a')];
    expect(await update(mutations, 'rumour')).toMatchObject({
      success: true,
      verificationStatus: 'Pending Review',
      verificationDetails: 'low-trust: agent rumour has trust 0.49',
    });
    expect((await update(mutations, 'atlas')).verificationStatus).toBe('Verified');
    expect((await update([add(de, `${schemaOrg}name`, 'b')], 'unheard')).verificationStatus).toBe('Verified');
  });

  test('what would be rejected anyway is not held', async () => {
    const result = await update([add(de, `${world}population`, 'many')], 'rumour');
    expect(result.verificationStatus).toBe('Rejected - Constraint Violation');
    expect(result.violations?.map(({ rule }) => rule).sort()).toEqual(['literal-type', 'low-trust']);
  });
});

test('certainty-range stands behind the check of the params', async () => {
  const rules = (await loadRules()).filter(({ name }) => name === 'certainty-range');
  const alignment = await Alignment.prepare(database, rules, []);
  const patch = (certainty: number | null, op: RulePatch['op'] = 'add'): RulePatch => ({
    op,
    statementId: 'x',
    subject: `s ${certainty}`,
    subjectType: null,
    predicate: 'p',
    relationshipType: 'P',
    object: 'o',
    objectType: null,
    value: null,
    datatype: null,
    graph: null,
    certainty,
  });
  const patches = [patch(0), patch(0.5), patch(1), patch(null), patch(1.5), patch(-0.1), patch(7, 'remove')];
  const violations = await database.read(
    (tx) => alignment.check(tx, 't', [{ affected: [], classified: [], patches, agent: { id: 'a' } }]),
    10_000,
  );
  expect(violations.map(({ subject }) => subject)).toEqual(['s 1.5', 's -0.1']);
  expect(violations[0]).toMatchObject({
    rule: 'certainty-range',
    severity: 'reject',
    predicate: 'p',
    object: 'o',
    message: 'certainty 1.5',
  });
});

describe('dates', () => {
  let dated: Service;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'concord-dates-'));
    const file = join(folder, 'dates.graphql');
    writeFileSync(
      file,
      `extend schema @vocabulary(base: "urn:dates:")
       type Treaty @class { name: String! signed: Date inForce: DateTime }`,
    );
    dated = await startServiceOnGraph({ VOCABULARY: file });
  });
  afterAll(async () => {
    await dated.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each<[string, string, boolean]>([
    ['signed', '2024-02-29', true],
    ['signed', '2000-02-29', true],
    ['signed', '2024-12-31', true],
    ['signed', '2023-02-29', false],
    ['signed', '1900-02-29', false],
    ['signed', '2024-04-31', false],
    ['signed', '2024-13-01', false],
    ['signed', '2024-1-1', false],
    ['signed', '2024-01-01T00:00:00Z', false],
    ['inForce', '2024-02-29T23:59:59.999Z', true],
    ['inForce', '2024-02-29T12:30+05:30', true],
    ['inForce', '2024-02-30T12:30:00Z', false],
    ['inForce', '2024-02-29T24:00:00Z', false],
    ['inForce', '2024-02-29T12:30:00', false],
    ['inForce', '2024-02-29', false],
  ])('%s %s: %p', async (field, value, fits) => {
    const result = await update(
      [add(de, `urn:dates:${field}`, value, { type: 'urn:dates:Treaty' })],
      'atlas',
      dated.url,
    );
    expect(result.success).toBe(fits);
    if (!fits) return;
    const { result: read } = await call<{ data: { treaties: Record<string, string>[] } }>(
      dated.url,
      'knowledge/query',
      {
        query: `{ treaties(where: {id: {eq: "${de}"}}) { value: ${field} } }`,
      },
    );
    const shown = read.data.treaties[0]?.value ?? '';
    expect(field === 'signed' ? shown : Date.parse(shown)).toBe(field === 'signed' ? value : Date.parse(value));
  });
});

test('rules work without a vocabulary too', async () => {
  const bare = await startServiceOnGraph({ VOCABULARY: '' });
  try {
    const result = await update([add(de, 'urn:p:a', 1), add(de, 'urn:p:a', 2)], 'rumour', bare.url);
    expect(result.verificationStatus).toBe('Pending Review');
  } finally {
    await bare.close();
  }
});
