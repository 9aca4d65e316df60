import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery, parse, validate } from 'graphql';
import { QueryLimits } from '../../../src/knowledge/query/queryLimits.ts';
import { buildSchema } from '../../../src/schema/schema.ts';
import { localPrincipal, type Principal } from '../../../src/security/principal.ts';
import { parseVocabulary } from '../../../src/vocabulary/parse.ts';
import { names } from '../../graph/qualify/vocabulary.ts';

const file = 'test/support/world.graphql';
const schema = await buildSchema(parseVocabulary(await readFile(file, 'utf8'), file), names);
const usual = { maxDepth: 15, maxCost: 2_000_000, defaultLimit: 100, maxConcurrent: 64 };

/** Lets a valid query in, and out again. */
function admit(source: string, limits: Partial<typeof usual> = {}, variables: Record<string, unknown> = {}): void {
  const document = parse(source);
  expect(validate(schema, document)).toEqual([]);
  new QueryLimits(schema, { ...usual, ...limits }).admit(localPrincipal, document, variables)();
}

/** What it is refused with. */
function refusal(...call: Parameters<typeof admit>): unknown {
  try {
    admit(...call);
  } catch (error) {
    return error;
  }
  return undefined;
}

const refused = (reason: string, limit: number, found: unknown) => ({
  code: -32010,
  data: { reason, limit, found, retryable: false },
});

const repeated = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');

describe('depth', () => {
  const nested = (levels: number) =>
    `{ countries ${'{ borders '.repeat(levels - 2)} { name } ${'}'.repeat(levels - 1)}`;
  const cost = { maxCost: Number.MAX_VALUE };

  test('below and at the limit is let in, and one level more is refused', () => {
    admit(nested(14), cost);
    admit(nested(15), cost);
    expect(refusal(nested(16), cost)).toMatchObject(refused('too-deep', 15, 16));
  });

  test('counts through fragments', () => {
    const spread =
      '{ countries { ...A } } fragment A on Country { borders { ...B } } fragment B on Country { ... { name } }';
    admit(spread, { maxDepth: 3 });
    expect(refusal(spread, { maxDepth: 2 })).toMatchObject(refused('too-deep', 2, 3));
  });

  test('of what is asked of the schema itself is no matter: it has a limit of its own', () => {
    admit(getIntrospectionQuery(), { maxDepth: 3 });
    const looping = `{ __schema { types ${'{ fields { type '.repeat(4)} { name } ${'} }'.repeat(4)} } }`;
    expect(validate(schema, parse(looping))).toMatchObject([{ message: 'Maximum introspection depth exceeded' }]);
  });

  const filter = (hops: number) => `${'{borders: {some: '.repeat(hops)}{name: {eq: "x"}}${'}}'.repeat(hops)}`;
  const value = (hops: number): object => (hops === 0 ? { name: { eq: 'x' } } : { borders: { some: value(hops - 1) } });
  const byVariable = 'query ($where: CountryWhere) { countries(where: $where) { name } }';

  test('of conditions may be twice as much, in the text as in variables', () => {
    admit(`{ countries(where: ${filter(14)}) { name } }`);
    expect(refusal(`{ countries(where: ${filter(15)}) { name } }`)).toMatchObject(refused('too-deep', 30, 32));
    admit(byVariable, {}, { where: value(14) });
    expect(refusal(byVariable, {}, { where: value(15) })).toMatchObject(refused('too-deep', 30, 32));
  });

  test('is that of the deepest filter, wherever it stands', () => {
    for (const fields of [
      `countries { borders(where: ${filter(15)}) { name } }`,
      `a: countries(where: ${filter(15)}) { name } b: countries { name }`,
    ])
      expect(refusal(`{ ${fields} }`)).toMatchObject(refused('too-deep', 30, 32));
  });

  test('is that of the deepest variable, wherever it stands among the others', () => {
    const both = `query ($one: CountryWhere, $other: CountryWhere) {
      a: countries(where: $one) { name } b: countries(where: $other) { name }
    }`;
    const deep = value(15);
    for (const variables of [
      { one: deep, other: value(0) },
      { one: value(0), other: deep },
    ])
      expect(refusal(both, {}, variables)).toMatchObject(refused('too-deep', 30, 32));
    admit(both, {}, { one: value(14), other: value(0) });
  });

  test('of a variable beyond any stack is refused like any other', () => {
    const where = JSON.parse(`${'{"NOT":'.repeat(100_000)}{}${'}'.repeat(100_000)}`);
    expect(refusal(byVariable, {}, { where })).toMatchObject(refused('too-deep', 30, 100_001));
  });

  test('of fragments that the stack has no room for is refused too', () => {
    const chain = repeated(5_000, (n) => `fragment F${n} on Country { ...F${n + 1} }`);
    const document = parse(`{ countries { ...F0 } } ${chain} fragment F5000 on Country { name }`);
    const limits = new QueryLimits(schema, usual);
    expect(() => limits.admit(localPrincipal, document)).toThrow(expect.objectContaining({ code: -32010 }));
  });
});

describe('size', () => {
  test('at the limit is let in, and one field more is refused', () => {
    const fields = (count: number) => `{ countries { ${repeated(count - 1, (n) => `n${n}: name`)} } }`;
    admit(fields(2_000));
    expect(refusal(fields(2_001))).toMatchObject(refused('too-large', 2_000, 2_001));
  });

  test('counts the conditions of variables, and not the values of a list', () => {
    const source = 'query ($where: CountryWhere) { countries(where: $where) { name } }';
    const either = (count: number) => ({
      OR: Array.from({ length: count }, (_, n) => ({ name: { eq: `${n}` } })),
    });
    admit(source, {}, { where: either(998) });
    expect(refusal(source, {}, { where: either(999) })).toMatchObject(refused('too-large', 2_000, 2_001));
    admit(source, {}, { where: { id: { in: Array.from({ length: 50_000 }, (_, n) => `urn:${n}`) } } });
  });

  test('counts fragments too', () => {
    const source = `{ countries { ${repeated(1_000, (n) => `... { n${n}: name }`)} } }`;
    expect(refusal(source)).toMatchObject(refused('too-large', 2_000, 2_001));
  });

  test('counts what is not asked for under its own name', () => {
    expect(refusal(`{ ${repeated(1_001, (n) => `a${n}: cities { name }`)} }`)).toMatchObject(
      refused('too-large', 2_000, 2_002),
    );
  });
});

describe('cost', () => {
  const cost = (source: string, variables?: Record<string, unknown>) =>
    (refusal(source, { maxCost: 1 }, variables) as { data: { found: number } }).data.found;

  test('at the limit is let in, and one more is refused', () => {
    const source = '{ countries(limit: 10) { id name } }';
    admit(source, { maxCost: 21 });
    expect(refusal(source, { maxCost: 20 })).toMatchObject(refused('too-costly', 20, 21));
  });

  test('multiplies by what limits a list, and by what lists are taken to be without', () => {
    expect(cost('{ countries { name } }')).toBe(101);
    expect(cost('{ countries(limit: 5) { borders { name } } }')).toBe(1 + 5 * (1 + 10));
    expect(cost('{ countries(limit: 5) { borders(limit: 3) { name } } }')).toBe(1 + 5 * (1 + 3));
    // To @neo4j/graphql 0 is no limit.
    expect(cost('{ countries(limit: 0) { borders(limit: 3) { name } } }')).toBe(1 + 100 * (1 + 3));
    expect(cost('{ countries(limit: 1) { statements { id } } }')).toBe(1 + 1 + 100);
    expect(cost('{ countriesConnection(first: 7) { edges { node { name } } } }')).toBe(1 + 7 * 3);
  });

  test('knows variables, and what they are without a value', () => {
    const source = 'query ($n: Int) { countries(limit: $n) { name } }';
    expect(cost(source, { n: 7 })).toBe(8);
    expect(cost(source, { n: 1 })).toBe(2);
    expect(cost(source, { n: 0 })).toBe(101);
    expect(cost(source)).toBe(101);
    expect(cost('query ($n: Int = 0) { countries(limit: $n) { name } }')).toBe(2);
    expect(cost('query ($n: Int = 3) { countries(limit: $n) { name } }')).toBe(4);
    expect(cost('query ($n: Int! = 3) { countries(limit: 1) { statements(first: $n) { id } } }')).toBe(5);
    expect(
      cost(
        'query ($n: Int) { countries { ...F } cities { capitalOf { ...F } } } fragment F on Country { borders(limit: $n) { name } }',
        { n: 4 },
      ),
    ).toBe(1 + 100 * 5 + 1 + 100 * (1 + 10 * 5));
  });

  test('of ten thousand entities with what is next to them is within the usual limit', () => {
    admit('{ countries(limit: 10000) { id name population area region borders { id name } capital { name } } }');
    admit(
      '{ entities(limit: 1000) { statements { id predicate object { id value type } certainty provenance sourceAgentId } } }',
    );
  });
});

describe('bombs', () => {
  const bomb = (levels: number, body: (next: string) => string) =>
    `query ($n: Int) { countries { ...F0 } } ${repeated(levels, (n) => `fragment F${n} on Country { ${body(`...F${n + 1}`)} }`)} fragment F${levels} on Country { borders(limit: $n) { name } }`;

  test('of fragments that double a thousand times are refused without being expanded', () => {
    const source = bomb(1_000, (next) => `${next} ${next}`);
    expect(refusal(source)).toMatchObject(refused('too-large', 2_000, Number.MAX_SAFE_INTEGER));
  });

  test('of links under two names each are refused', () => {
    const source = bomb(12, (next) => `a: borders(limit: 1) { ${next} } b: borders(limit: 1) { ${next} }`);
    expect(refusal(source)).toMatchObject({ data: { reason: 'too-large' } });
  });

  test('of links without a limit are refused by their cost', () => {
    const source = `{ countries ${'{ borders '.repeat(6)} { name } ${'}'.repeat(7)}`;
    expect(refusal(source)).toMatchObject({ data: { reason: 'too-costly', limit: 2_000_000 } });
  });
});

describe('arguments', () => {
  const bad = (details: object) =>
    expect.objectContaining({ code: -32010, data: expect.objectContaining({ reason: 'bad-argument', ...details }) });
  const limited = parse('query ($n: Int) { all: countries(limit: $n) { name } }');
  const admitAs = (limits: QueryLimits, document: ReturnType<typeof parse>, n: unknown, name?: string) => () =>
    limits.admit(localPrincipal, document, { n }, name)();

  test('are looked at by their values, in a document that was let in before too', () => {
    const limits = new QueryLimits(schema, usual);
    admitAs(limits, limited, 1)();
    expect(admitAs(limits, limited, -1)).toThrow(bad({ argument: 'limit', path: ['all'] }));
    expect(admitAs(limits, limited, 1.5)).toThrow(bad({ variable: 'n' }));
    admitAs(limits, limited, 0)();
  });

  test.each([
    ['countriesConnection(after: "e1") { totalCount }', 'is no cursor that an answer has given'],
    // Without its `=`: @neo4j/graphql would begin anew.
    ['countriesConnection(after: "YXJyYXljb25uZWN0aW9uOjM") { totalCount }', 'is no cursor that an answer has given'],
    ['countries(where: {name: null}) { name }', "has null at 'name'"],
    ['countries(where: {OR: [{}, {borders: null}]}) { name }', "has null at 'OR.1.borders'"],
    [
      'countries(where: {bordersConnection: {some: {node: null}}}) { name }',
      "has null at 'bordersConnection.some.node'",
    ],
  ])('are refused where the library would fail on them: %s', (field, fault) => {
    expect(refusal(`{ ${field} }`)).toMatchObject({ message: expect.stringContaining(fault) });
  });

  test('a cursor of a row in an order is one of the root alone', () => {
    const cursor = Buffer.from('[1,"name ASC",3,["x"],"e1"]').toString('base64url');
    const nested = (after: string) => `{ countries { bordersConnection(after: "${after}") { totalCount } } }`;
    admit(`{ countriesConnection(after: "${cursor}") { totalCount } }`);
    admit(nested('YXJyYXljb25uZWN0aW9uOjM='));
    expect(refusal(nested(cursor))).toMatchObject({
      data: { argument: 'after', path: ['countries', 'bordersConnection'] },
    });
  });

  test.each([
    'countriesConnection(after: "YXJyYXljb25uZWN0aW9uOi0x") { totalCount }',
    'countriesConnection(after: "YXJyYXljb25uZWN0aW9uOjM=") { totalCount }',
    'countriesConnection(after: null, first: null) { totalCount }',
    'countries(where: {name: {eq: null}, AND: null}) { name }',
    'countries(where: null) { name }',
  ])('are let in where they are as answers have them: %s', (field) => {
    admit(`{ ${field} }`);
  });

  test('are those of the operation that runs, and of the fragments that it spreads', () => {
    const several = parse(`query A { countries(limit: 1) { name } } query B { ...F }
      query C { countries(limit: -1) { name } } fragment F on Query { cities(offset: -1) { name } }`);
    const limits = new QueryLimits(schema, usual);
    admitAs(limits, several, undefined, 'A')();
    for (const [name, path] of [
      ['B', ['F', 'cities']],
      ['C', ['countries']],
    ] as const)
      expect(admitAs(limits, several, undefined, name)).toThrow(bad({ path }));
  });
});

describe('who asks for too much', () => {
  const filters = `{ countries(where: ${'{NOT: '.repeat(5)}{name: {eq: "x"}}${'}'.repeat(5)}) { name } }`;
  const many = `{ countries { ${repeated(2_000, (n) => `n${n}: name`)} } }`;

  test.each<[string, string, Partial<typeof usual>]>([
    [
      'The query has 2 levels of fields, more than the limit of 1; ask for what is further away by its id',
      '{ countries { name } }',
      { maxDepth: 1 },
    ],
    [
      'The query has 7 levels of conditions, more than the limit of 4; filter in several queries',
      filters,
      { maxDepth: 2 },
    ],
    [
      'The query has 2001 fields and conditions, fragments expanded, more than the limit of 2000; split it',
      many,
      { maxCost: Number.MAX_VALUE },
    ],
    [
      'The query has 101 values by its estimate, more than the limit of 9; give its lists a smaller limit',
      '{ countries { name } }',
      { maxCost: 9 },
    ],
  ])('is told: %s', (message, source, limits) => {
    expect(refusal(source, limits)).toMatchObject({ message });
  });
});

describe('queries under way', () => {
  const document = parse('{ cities { name } }');
  const principal = (tenant: string, agentId?: string): Principal => ({
    ...localPrincipal,
    tenant,
    ...(agentId && { agentId }),
  });

  test('are counted for each agent of each tenant, and let in again once one has ended', () => {
    const limits = new QueryLimits(schema, { ...usual, maxConcurrent: 2 });
    const enter = (who: Principal) => limits.admit(who, document);
    const leave = enter(principal('acme', 'atlas'));
    enter(principal('acme', 'atlas'));
    expect(() => enter(principal('acme', 'atlas'))).toThrow(
      expect.objectContaining({
        code: -32010,
        message: expect.stringMatching(/^2 queries of this agent are under way, .*; send it again when one /),
        data: { reason: 'too-many-queries', limit: 2, retryable: true },
      }),
    );
    enter(principal('acme', 'scout'));
    enter(principal('acme'));
    enter(principal('other', 'atlas'));
    leave();
    leave();
    enter(principal('acme', 'atlas'));
    expect(() => enter(principal('acme', 'atlas'))).toThrow(expect.objectContaining({ code: -32010 }));
  });

  test('are not counted if they were refused', () => {
    const limits = new QueryLimits(schema, { ...usual, maxCost: 10, maxConcurrent: 1 });
    for (let n = 0; n < 3; n++)
      expect(() => limits.admit(localPrincipal, document)).toThrow(expect.objectContaining({ code: -32010 }));
    limits.admit(localPrincipal, parse('{ cities(limit: 1) { name } }'));
  });
});
