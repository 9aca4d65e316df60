import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { QueryResult } from '../../../../src/knowledge/query/query.ts';
import type { UpdateResult } from '../../../../src/knowledge/update/propose.ts';
import { bearerOf, identities } from '../../../support/identities.ts';
import { add } from '../../../support/patches.ts';
import { call } from '../../../support/service.ts';
import { useFolder, useService } from '../../../support/setUp.ts';

const base = 'https://example.org/elements#';
const vocabulary = `extend schema @vocabulary(base: "${base}")
type Element @class(key: ["symbol"]) {
  symbol: String @predicate(indexed: true)
  name: String
  number: Int
  meltingPoint: Float
  discovered: Date
  measuredAt: DateTime
  stable: Boolean
  aliases: [String!]!
  block: Block
  foundWith: [Element!]!
  secret: String
}
type Block @class(key: ["letter", "period"]) {
  letter: ID
  period: Int
  elements: [Element!]! @inverse(of: "block")
}
type Ore @class { name: String @predicate(iri: "urn:ore:name") holds: [Element!]! @predicate(iri: "urn:ore:holds") }
`;
const policy = {
  closed: [
    {
      rule: 'chief-only',
      predicates: [`${base}secret`],
      classes: [`${base}Ore`],
      except: { agents: ['chief'] },
    },
  ],
};
const folder = useFolder({ 'elements.graphql': vocabulary, 'policy.json': JSON.stringify(policy) });
const service = useService({
  ...identities,
  TENANTS: 'north,south',
  VOCABULARY: join(folder, 'elements.graphql'),
  VOCABULARY_MODE: 'closed',
  POLICY: join(folder, 'policy.json'),
  AGENT_TRUST: 'newcomer=0.1',
});

const header = (agent: string, more: object = {}) => bearerOf({ tenant: 'north', sub: agent, ...more });
const send = (agent: string, params: object, more: object = {}) =>
  call<UpdateResult>(service.url, 'knowledge/update', params, header(agent, more));
const put = (entities: object[], agent = 'ada', more: object = {}) => send(agent, { entities }, more);
/** The first issue of a refusal. */
async function refusal(entities: unknown[], rest: object = {}): Promise<string> {
  const { error } = await send('ada', { entities, ...rest });
  const [first] = (error?.data.issues ?? []) as { path: string; message: string }[];
  return `${error?.code} ${first?.path} ${first?.message}`;
}
async function ask(text: string, agent = 'chief', more: object = {}, wishes: object = {}) {
  const { result, error } = await call<QueryResult>(
    service.url,
    'knowledge/query',
    { query: text, ...wishes },
    header(agent, more),
  );
  return result?.data ?? error;
}
const element = (symbol: string, fields: string, wishes: object = {}) =>
  ask(`{ elements(where: {symbol: {eq: "${symbol}"}}) { ${fields} } }`, 'chief', {}, wishes).then(
    (data) => (data as { elements: unknown[] }).elements,
  );
const id = (symbol: string) => `${base}Element?symbol=${symbol}`;

describe('an entity by names', () => {
  test('is found by its key again, and each field has the type of the vocabulary', async () => {
    const fields = {
      symbol: 'Fe',
      name: 'Iron',
      number: 26,
      meltingPoint: 1811,
      discovered: '1751-02-28',
      measuredAt: '2026-01-01T12:00:00+01:00',
      stable: true,
      aliases: ['ferrum', { value: 'Eisen', language: 'de' }],
      block: { key: { period: 4, letter: 'd' } },
      foundWith: [{ id: 'urn:x:Ni' }, { class: 'Element', key: { symbol: 'Co' } }],
    };
    const { result } = await put([
      { class: 'Element', fields, certainty: 0.9, source: 'CRC', observedAt: '2026-01-02' },
    ]);
    expect(result).toMatchObject({ success: true, statementsAffected: 12 });
    expect(result.affectedIds).toEqual(
      expect.arrayContaining([id('Fe'), `${base}Block?letter=d&period=4`, 'urn:x:Ni', id('Co')]),
    );
    const wanted =
      'id name number meltingPoint discovered measuredAt stable aliases block { id } foundWith { id } statements { predicate object { value type language } certainty provenance }';
    const [found] = (await element('Fe', wanted)) as [Record<string, unknown> & { statements: object[] }];
    expect(found).toMatchObject({
      id: id('Fe'),
      ...{ name: 'Iron', number: 26, meltingPoint: 1811, discovered: '1751-02-28', stable: true },
      measuredAt: '2026-01-01T11:00:00.000Z',
      aliases: expect.arrayContaining(['ferrum', 'Eisen']),
    });
    const of = (name: string) =>
      found.statements.filter((each) => (each as { predicate: string }).predicate === base + name);
    expect(of('discovered')).toMatchObject([
      {
        object: { type: 'http://www.w3.org/2001/XMLSchema#date' },
        certainty: 0.9,
        provenance: { source: 'CRC', timestamp: '2026-01-02' },
      },
    ]);
    // Whoever reads with a high certainty still finds what the rest is about.
    expect(of('symbol')).toMatchObject([{ certainty: null, provenance: null }]);
    expect(await element('Fe', 'name', { requiredCertainty: 0.95 })).toEqual([{ name: null }]);
  });

  test('has one value in a single field, more in a list, and nothing happens twice', async () => {
    const first = { class: 'Element', key: { symbol: 'Cu' }, fields: { meltingPoint: 1, aliases: ['a'] } };
    await put([first]);
    expect((await put([first])).result.statementsAffected).toBe(0);
    await put([{ class: 'Element', fields: { symbol: 'Cu', meltingPoint: 1358, aliases: 'b' } }], 'bob');
    const wanted = 'meltingPoint aliases statements { object { value } sources { sourceAgentId } }';
    expect(await element('Cu', wanted)).toMatchObject([{ meltingPoint: 1358 }]);
    expect(await element('Cu', 'aliases')).toEqual([{ aliases: expect.arrayContaining(['a', 'b']) }]);
    expect(await ask('{ elements(where: {symbol: {eq: "Cu"}}) { id } }')).toEqual({
      elements: [{ id: id('Cu') }],
    });
  });

  test('is added to, replaced and removed by the words of mutations', async () => {
    const said = (op: string, fields: object) => put([{ op, class: 'Element', key: { symbol: 'Ag' }, fields }]);
    await said('put', { aliases: ['a', 'b'], meltingPoint: 1 });
    await said('add', { meltingPoint: 2 });
    const values = 'statements(predicate: ["https://example.org/elements#meltingPoint"]) { object { value } }';
    expect(((await element('Ag', values)) as [{ statements: object[] }])[0].statements).toHaveLength(2);
    await said('replace', { aliases: ['c', 'd'] });
    expect(await element('Ag', 'aliases')).toEqual([{ aliases: expect.arrayContaining(['c', 'd']) }]);
    expect(((await element('Ag', 'aliases')) as [{ aliases: string[] }])[0].aliases).toHaveLength(2);
    await said('remove', { aliases: ['c'], meltingPoint: 2 });
    expect(await element('Ag', 'aliases meltingPoint')).toEqual([{ aliases: ['d'], meltingPoint: 1 }]);
    await said('put', { aliases: null, meltingPoint: null });
    expect(await element('Ag', 'symbol aliases meltingPoint')).toEqual([
      { symbol: 'Ag', aliases: null, meltingPoint: null },
    ]);
    expect((await said('put', { aliases: null })).result).toMatchObject({
      success: true,
      statementsAffected: 0,
    });
  });

  test('null takes back what stands in its graph, and the rest of the update comes behind', async () => {
    const here = { class: 'Element', key: { symbol: 'Au' } };
    await put([
      { ...here, fields: { name: 'Gold', aliases: ['x'] } },
      { ...here, graph: 'urn:g', fields: { aliases: ['y'] } },
    ]);
    await send('ada', {
      mutations: [add(id('Au'), `${base}aliases`, 'from mutations')],
      entities: [
        { ...here, fields: { aliases: ['z'] } },
        { ...here, fields: { aliases: null } },
      ],
    });
    const [{ aliases }] = (await element('Au', 'aliases')) as [{ aliases: string[] }];
    expect(aliases.sort()).toEqual(['from mutations', 'y', 'z']);
  });

  test('is told before it happens, and held for review as any other', async () => {
    const entities = [{ class: 'Element', key: { symbol: 'Pb' }, fields: { name: 'Lead' } }];
    await put(entities);
    const held = await put([{ class: 'Element', key: { symbol: 'Pb' }, fields: { name: null } }], 'newcomer');
    expect(held.result.verificationStatus).toBe('Pending Review');
    const review = (params: object) => call<UpdateResult>(service.url, 'knowledge/review', params, header('chief'));
    expect((await review({ action: 'list' })).result).toMatchObject({
      proposals: [{ mutations: [{ op: 'remove', statement: { object: { value: 'Lead' } } }, { op: 'add' }] }],
    });
    await review({ action: 'approve', updateId: held.result.updateId });
    expect(await element('Pb', 'name')).toEqual([{ name: null }]);
  });

  test('with an idempotency key is applied once', async () => {
    const params = {
      entities: [{ class: 'Element', key: { symbol: 'Sn' }, fields: { name: 'Tin' } }],
      metadata: { idempotencyKey: 'tin' },
    };
    const first = await send('ada', params);
    await put([{ class: 'Element', key: { symbol: 'Sn' }, fields: { name: 'Stannum' } }]);
    expect((await send('ada', params)).result.updateId).toBe(first.result.updateId);
    expect(await element('Sn', 'name')).toEqual([{ name: 'Stannum' }]);
  });
});

const fe = { class: 'Element', key: { symbol: 'Fe' } };
const field = (name: string, value: unknown) => [{ ...fe, fields: { [name]: value } }];

test.each<[string, unknown[], string]>([
  ['an unknown class', [{ class: 'Elemnt', id: 'urn:a', fields: {} }], "entities[0].class names 'Elemnt'"],
  ['a class of objects', [{ class: 'constructor', fields: { a: 1 } }], "entities[0].class names 'constructor'"],
  ['an unknown field', field('nmae', 'x'), 'entities[0].fields.nmae is no field of Element'],
  ['a field that every object has', field('constructor', 'x'), 'entities[0].fields.constructor is no field'],
  ['one more', field('toString', null), 'entities[0].fields.toString is no field'],
  ['the id as a field', field('id', 'x'), 'entities[0].fields.id is no field'],
  ['an inverse', [{ class: 'Block', id: 'urn:b', fields: { elements: [] } }], 'is the inverse of Element.block'],
  ['text as a number', field('number', '26'), 'entities[0].fields.number is not a whole number'],
  ['a fraction as a whole number', field('number', 1.5), 'is not a whole number'],
  ['a whole number that is too large', field('number', 2 ** 31), 'is not a whole number'],
  ['a number as text', field('name', 1), 'entities[0].fields.name is not text'],
  ['a day that there isn’t', field('discovered', '2026-02-30'), 'fields.discovered is not a day'],
  ['a time without an offset', field('measuredAt', '2026-02-03T12:00:00'), 'is not a time'],
  ['a list in a single field', field('name', ['a']), 'is a list, but the field takes one value'],
  ['two ends of a functional link', field('block', [{ id: 'a' }, { id: 'b' }]), 'is a list'],
  ['a list in a list', field('aliases', [['a']]), 'entities[0].fields.aliases[0] is not text'],
  ['null in a list', field('aliases', [null]), 'entities[0].fields.aliases[0] is not text'],
  ['a literal in a link', field('block', 'urn:b'), 'entities[0].fields.block is not {"id"'],
  ['a link in a literal', field('name', { id: 'urn:a' }), 'entities[0].fields.name.id is not of a value'],
  ['a language on a number', field('number', { value: 1, language: 'de' }), 'fields.number.language is not'],
  ['a language that is none', field('name', { value: 'a', language: 'de DROP' }), 'is not a BCP 47'],
  ['a deep value', field('name', JSON.parse(`${'{"value":'.repeat(50)}1${'}'.repeat(50)}`)), 'fields.name is not text'],
  ['a link to another class', field('block', { class: 'Ore', id: 'x' }), 'fields.block.class is not Block'],
  ['a link by id and key', field('block', { id: 'x', key: {} }), "has both or neither of 'id' and 'key'"],
  ['a link with an empty id', field('block', { id: '' }), 'entities[0].fields.block is empty'],
  ['a link with half a key', field('block', { key: { letter: 'd' } }), 'block.key.period is missing in the key'],
  ['a key of other fields', field('foundWith', [{ key: { symbol: 'a', number: 1 } }]), 'is not of the key of Element'],
  ['a key with a list', [{ class: 'Element', key: { symbol: ['Fe'] } }], 'entities[0].key.symbol is not text'],
  ['an empty key', [{ class: 'Element', key: { symbol: '' } }], 'entities[0].key.symbol is empty'],
  [
    'a key of 2,000 letters that take six',
    [{ class: 'Element', key: { symbol: 'é'.repeat(2_000) } }],
    'makes an id of more',
  ],
  ['a key of a megabyte', [{ class: 'Element', key: { symbol: 'x'.repeat(1 << 20) } }], 'is longer than'],
  ['half a surrogate pair', [{ class: 'Element', key: { symbol: '\ud800' } }], 'surrogate'],
  ['another key than that of the entity', field('symbol', 'Co'), "fields.symbol is of the key, which has 'Fe'"],
  ['null for a key', field('symbol', null), 'fields.symbol is of the key'],
  ['an id beside a key', [{ ...fe, id: 'urn:a' }], 'entities[0].key is given beside'],
  ['neither', [{ class: 'Element', fields: { name: 'x' } }], "nor the field 'symbol'"],
  ['neither, of a class without a key', [{ class: 'Ore', fields: { name: 'x' } }], 'has no key'],
  ['a key of a class without one', [{ class: 'Ore', key: { name: 'x' } }], 'has no key'],
  ['nothing to say', [{ class: 'Ore', id: 'urn:a' }], 'entities[0].fields is empty'],
  ['to remove of nothing', [{ op: 'remove', class: 'Element', fields: { symbol: 'a' } }], "neither 'id' nor 'key'"],
  ['a source twice', [{ ...fe, source: 'a', provenance: { source: 'b' } }], 'entities[0].source is given'],
  ['a certainty of 2', [{ ...fe, certainty: 2 }], 'entities[0].certainty is above 1'],
  ['a member that there isn’t', [{ ...fe, tenant: 'south' }], 'entities[0]'],
  ['fields as a list', [{ ...fe, fields: [] }], 'entities[0].fields is not an object'],
  [
    'text of more than a megabyte',
    field('name', 'x'.repeat((1 << 20) + 1)),
    '#name of https://example.org/elements#Element?symbol=Fe is longer than 1048576',
  ],
  ['no entity', [], 'mutations is empty'],
  ['10,001 entities', new Array(10_001).fill(fe), 'entities holds more than 10000'],
  ['100,000 entities', new Array(100_000).fill(fe), 'entities holds more than 10000'],
  ['6,000 of two patches', new Array(6_000).fill({ ...fe, fields: { name: 'x' } }), 'to more than 10000 patches'],
  ['too many nulls', new Array(10_000).fill({ ...fe, fields: { name: null } }), 'to more than 10000 patches'],
])('refuses %s with its place', async (_, entities, message) => {
  const told = await refusal(entities);
  expect(told).toContain(message);
  expect(told).toMatch(/^-32602 /);
});

test('counts mutations and entities together', async () => {
  const mutations = new Array(9_999).fill(add('urn:a', `${base}name`, 'x'));
  expect(await refusal([{ ...fe, fields: { name: 'x' } }], { mutations })).toContain('more than 10000 patches');
});

test('__proto__ as a field is refused', async () => {
  const params = '{"entities": [{"class": "Element", "key": {"symbol": "Fe"}, "fields": {"__proto__": "x"}}]}';
  const response = await fetch(`${service.url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...header('ada') },
    body: `{"jsonrpc": "2.0", "id": 1, "method": "knowledge/update", "params": ${params}}`,
  });
  expect(await response.json()).toMatchObject({ error: { code: -32602 } });
});

test('keys of any characters are told apart', async () => {
  const keys = ['a&period=1', 'a', '\u00e9', 'e\u0301', 'a\u0000b', "!'()*", '%41', '😀', '?#/', ' '];
  const { result } = await put(keys.map((symbol) => ({ class: 'Element', key: { symbol } })));
  expect(new Set(result.affectedIds).size).toBe(keys.length);
  expect(result.affectedIds).toEqual(
    expect.arrayContaining(
      ['a%26period%3D1', 'a%00b', '%21%27%28%29%2A', '%2541', '%F0%9F%98%80', 'e%CC%81', '%C3%A9'].map(id),
    ),
  );
  const data = await ask('query { elements(where: {symbol: {in: ["\u00e9", "😀"]}}) { id symbol } }');
  expect(data).toEqual({
    elements: expect.arrayContaining([
      { id: id('%C3%A9'), symbol: '\u00e9' },
      { id: id('%F0%9F%98%80'), symbol: '😀' },
    ]),
  });
});

test('the schema tells the key of a class', async () => {
  const response = await fetch(`${service.url}/schema.graphql`, { headers: header('ada') });
  expect(await response.text()).toContain(`Class <${base}Block>, known by its key (letter, period)`);
});

describe('what mutations may not do', () => {
  test('the same key in another tenant is another entity', async () => {
    await put([{ class: 'Element', key: { symbol: 'W' }, fields: { name: 'Tungsten' } }]);
    const south = { tenant: 'south' };
    const cleared = await put([{ class: 'Element', key: { symbol: 'W' }, fields: { name: null } }], 'ada', south);
    expect(cleared.result.statementsAffected).toBe(1);
    expect(await element('W', 'name')).toEqual([{ name: 'Tungsten' }]);
    expect(await ask('{ elements { id name } }', 'chief', south)).toEqual({
      elements: [{ id: id('W'), name: null }],
    });
  });

  test('nor can entities write in a graph that is closed to the caller, nor take back from it', async () => {
    const limited = { graphs: ['urn:open'] };
    for (const fields of [{ name: 'x' }, { name: null }])
      for (const graph of [{}, { graph: 'urn:closed' }]) {
        const { error } = await put([{ class: 'Element', id: 'urn:a', ...graph, fields }], 'ada', limited);
        expect(error).toMatchObject({ code: -32011, data: { reason: 'closed-graph' } });
      }
    const { result } = await put([{ ...fe, graph: 'urn:open', fields: { name: 'x' } }], 'ada', limited);
    expect(result.success).toBe(true);
  });

  test('nor without the scope', async () => {
    const { error } = await put([fe], 'ada', { scope: 'knowledge:query' });
    expect(error?.data.reason).toBe('missing-scope');
  });

  test('null shows nothing of what is closed: a predicate is refused, an entity of a closed class stays', async () => {
    await put([{ ...fe, fields: { secret: 'x' } }], 'chief');
    const closed = await put([{ ...fe, fields: { secret: null } }]);
    expect(closed.error).toMatchObject({
      code: -32013,
      data: { reason: 'closed-predicate', rule: 'chief-only' },
    });
    await put([{ class: 'Ore', id: 'urn:ore', fields: { holds: [{ key: { symbol: 'Fe' } }] } }], 'chief');
    const nothing = await put([{ class: 'Ore', id: 'urn:ore', fields: { holds: null } }]);
    expect(nothing.result).toMatchObject({ statementsAffected: 0 });
    expect(await ask('{ ores { holds { symbol } } }')).toEqual({ ores: [{ holds: [{ symbol: 'Fe' }] }] });
  });

  test('an entity of another class is rejected by the rule', async () => {
    await put([{ class: 'Element', id: 'urn:mine', fields: { name: 'x' } }]);
    const { result } = await put([{ class: 'Block', id: 'urn:mine', fields: { letter: 's' } }]);
    expect(result).toMatchObject({ success: false, violations: [{ rule: 'class-mismatch' }] });
  });

  test('a closed vocabulary takes what it has', async () => {
    const { error } = await send('ada', { entities: [fe], mutations: [add('urn:a', 'urn:p', 1)] });
    expect(error?.data.reason).toBe('unknown-predicate');
  });
});
