import { expect, test } from '@jest/globals';
import { type ChangeWhere, compileFilter, mayPass } from '../../src/changes/filter.ts';
import type { Classes } from '../../src/graph/statements/statementReader.ts';
import type { LoggedChange } from '../../src/graph/updates/changeLog.ts';

const change: LoggedChange = {
  sequence: 1,
  changeId: 'c',
  op: 'add',
  statement: { subject: { id: 's' }, predicate: { id: 'p' }, object: { id: 'o' }, graph: 'g' },
  timestamp: '2024-01-01T00:00:00.000Z',
  updateId: 'u',
  revision: 1,
  sourceAgentId: 'ann',
  taskId: 't',
};
const literal: LoggedChange = {
  ...change,
  statement: {
    subject: { id: 's' },
    predicate: { id: 'p' },
    object: { value: 7, type: 'http://www.w3.org/2001/XMLSchema#integer' },
  },
};
const passes = (where: ChangeWhere | null | undefined, of = change, classes?: Classes) =>
  compileFilter(where).test(of, classes);

test('without conditions every change passes', () => {
  expect([passes(undefined), passes(null), passes({}), passes({ op: null }), passes({ op: {} })]).toEqual(
    Array(5).fill(true),
  );
});

test.each<[keyof ChangeWhere, string]>([
  ['taskId', 't'],
  ['updateId', 'u'],
  ['op', 'add'],
  ['subject', 's'],
  ['predicate', 'p'],
  ['object', 'o'],
  ['graph', 'g'],
  ['sourceAgentId', 'ann'],
])('%s is compared with one value and with several', (field, value) => {
  expect(passes({ [field]: { eq: value } })).toBe(true);
  expect(passes({ [field]: { eq: 'other' } })).toBe(false);
  expect(passes({ [field]: { in: ['other', value] } })).toBe(true);
  expect(passes({ [field]: { in: ['other'] } })).toBe(false);
  expect(passes({ [field]: { in: [] } })).toBe(false);
  expect(passes({ [field]: { eq: value, in: ['other'] } })).toBe(false);
});

test('all conditions must hold', () => {
  expect(passes({ subject: { eq: 's' }, predicate: { eq: 'p' } })).toBe(true);
  expect(passes({ subject: { eq: 's' }, predicate: { eq: 'other' } })).toBe(false);
});

test('a literal is compared as text', () => {
  expect(passes({ object: { eq: '7' } }, literal)).toBe(true);
  expect(passes({ object: { eq: '8' } }, literal)).toBe(false);
});

test('null is the default graph, and no list holds it', () => {
  expect(passes({ graph: { eq: null } }, literal)).toBe(true);
  expect(passes({ graph: { eq: null } })).toBe(false);
  expect(passes({ graph: { in: ['g', 'undefined'] } }, literal)).toBe(false);
});

const saying = (value: string | number | boolean): LoggedChange => ({
  ...change,
  statement: { ...change.statement, object: { value, type: 'urn:any' } },
});

test.each<[NonNullable<ChangeWhere['object']>, (string | number | boolean)[]]>([
  [{ lt: 7 }, [6]],
  [{ lte: 7 }, [6, 7]],
  [{ gt: 7 }, [8]],
  [{ gte: 7 }, [7, 8]],
  [{ gt: 6, lt: 8 }, [7]],
  [{ gt: 'bab' }, ['c']],
  [{ lte: 'a', contains: 'a' }, ['a']],
  [{ gt: '2024-05-05T10:00:00Z', lt: '2024-05-05T13:00:00+02:00' }, []],
  [{ gte: '2024-05-05T10:00:00Z', lt: '2024-05-05T13:00:00+02:00' }, ['2024-05-05T12:00:00+02:00']],
  [{ lt: 'b' }, ['a', '2024-05-05T12:00:00+02:00', '2024-05-05T11:00:00Z']],
  [{ gte: '2024-05-05T10:30:00Z' }, ['a', 'bab', 'c', '2024-05-05T11:00:00Z']],
  [
    { lt: null, startsWith: null },
    [6, 7, 8, true, 'a', 'bab', 'c', '2024-05-05T12:00:00+02:00', '2024-05-05T11:00:00Z'],
  ],
  [{ startsWith: 'ba' }, ['bab']],
  [{ endsWith: 'ab' }, ['bab']],
  [{ contains: 'a' }, ['a', 'bab']],
  [{ contains: '' }, ['a', 'bab', 'c', '2024-05-05T12:00:00+02:00', '2024-05-05T11:00:00Z']],
  [{ contains: '6' }, []],
])('a literal within %j', (object, expected) => {
  const all = [6, 7, 8, true, 'a', 'bab', 'c', '2024-05-05T12:00:00+02:00', '2024-05-05T11:00:00Z'];
  expect(all.filter((value) => passes({ object }, saying(value)))).toEqual(expected);
  // An entity has no value.
  expect(passes({ object })).toBe(object.lt === null);
});

test('a bound is a number or a text', () => {
  expect(() => compileFilter({ object: { lt: true } })).toThrow('lt takes a number or a text');
  expect(() => compileFilter({ object: { gte: [1] as unknown as string } })).toThrow(RangeError);
  // What JSON has no word for would have the key of another filter: 1e999 is Infinity to GraphQL.
  expect(() => compileFilter({ object: { gt: Number.POSITIVE_INFINITY } })).toThrow(RangeError);
  expect(() => compileFilter({ certainty: { gte: Number.POSITIVE_INFINITY } })).toThrow(RangeError);
});

test('a text is looked through for a part in time that its length tells, not the product of both', () => {
  const text = (value: string): LoggedChange => ({
    ...literal,
    statement: { ...literal.statement, object: { value, type: 'http://www.w3.org/2001/XMLSchema#string' } },
  });
  const contains = (part: string, value: string) => passes({ object: { contains: part } }, text(value));
  const begun = performance.now();
  const repeated = 'a'.repeat(300_000);
  expect(contains(`ab${'a'.repeat(30_000)}`, repeated)).toBe(false);
  expect(contains(`ab${'a'.repeat(30_000)}`, `${repeated}b${repeated}`)).toBe(true);
  expect(performance.now() - begun).toBeLessThan(5_000);
  for (const [part, value] of [
    ['', ''],
    ['', 'a'],
    ['abab', 'aabaabab'],
    ['aab', 'aaaab'],
    ['ab', 'ba'],
    ['abc', 'ab'],
  ] as const)
    expect(contains(part.repeat(2_000), value.repeat(2_000))).toBe(value.repeat(2_000).includes(part.repeat(2_000)));
});

test('a statement without a certainty is certain', () => {
  const unsure = { ...change, statement: { ...change.statement, certainty: 0.4 } };
  expect([passes({ certainty: { gte: 0.5 } }), passes({ certainty: { gte: 0.5 } }, unsure)]).toEqual([true, false]);
  expect([passes({ certainty: { lt: 1 } }), passes({ certainty: { lt: 1 } }, unsure)]).toEqual([false, true]);
  expect(passes({ certainty: {} }, unsure)).toBe(true);
});

test('a class is the one that the graph has, else the one that the change gives', () => {
  const typed = { ...change, statement: { ...change.statement, subject: { id: 's', type: 'urn:Said' } } };
  const classes = new Map([
    ['s', { type: 'urn:Known' }],
    ['o', {}],
  ]);
  const isA = (type: string) => ({ subject: { type: { eq: type } } });
  expect([passes(isA('urn:Said'), typed), passes(isA('urn:Known'), typed)]).toEqual([true, false]);
  expect([passes(isA('urn:Said'), typed, classes), passes(isA('urn:Known'), typed, classes)]).toEqual([false, true]);
  expect(passes({ object: { type: { in: ['urn:Known'] } } }, change, new Map([['o', { type: 'urn:Known' }]]))).toBe(
    true,
  );
  expect(passes({ object: { type: { eq: null } } }, change, classes)).toBe(true);
  expect(passes({ subject: { type: { eq: 'urn:Known', in: ['urn:Said'] } } }, typed, classes)).toBe(false);
  const known: ChangeWhere = { subject: { type: { eq: 'urn:Known' } } };
  expect(passes({ and: [known], or: [known], not: { not: known } }, typed, classes)).toBe(true);
  expect(passes({ object: { type: { eq: null } } }, literal, classes)).toBe(false);
});

test('classes are asked for where a condition names one, however deep', () => {
  const deep: ChangeWhere = { or: [{ not: { and: [{ object: { type: { eq: 'urn:C' } } }] } }] };
  const asks = (where: ChangeWhere) => compileFilter(where).asksClasses;
  expect([deep, { subject: { type: { in: [] } } }].map(asks)).toEqual([true, true]);
  expect([{}, { subject: { eq: 's' } }, { object: { type: null } }, { subject: { type: {} } }].map(asks)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('and, or and not are taken together', () => {
  const yes: ChangeWhere = { subject: { eq: 's' } };
  const no: ChangeWhere = { subject: { eq: 'other' } };
  expect([passes({ and: [yes, yes] }), passes({ and: [yes, no] }), passes({ and: [] })]).toEqual([true, false, true]);
  expect([passes({ or: [no, yes] }), passes({ or: [no, no] }), passes({ or: [] })]).toEqual([true, false, false]);
  expect([passes({ not: no }), passes({ not: yes }), passes({ not: null })]).toEqual([true, false, true]);
  expect(passes({ or: [yes], predicate: { eq: 'other' } })).toBe(false);
  expect(passes({ or: [yes], not: yes })).toBe(false);
});

test('more than a thousand conditions are too many', () => {
  const of = (length: number): ChangeWhere => ({ or: Array.from({ length }, () => ({})) });
  expect(() => compileFilter(of(999))).not.toThrow();
  expect(() => compileFilter(of(1_000))).toThrow(new RangeError('More than 1000 conditions'));
});

test('conditions of more than 100,000 characters are too long, for they are kept while anybody listens', () => {
  const among = (length: number): ChangeWhere => ({ subject: { in: ['x'.repeat(length)] } });
  expect(() => compileFilter(among(99_000))).not.toThrow();
  expect(() => compileFilter(among(100_000))).toThrow(new RangeError('Conditions of more than 100000 characters'));
});

test('only what is wanted by its id limits whom a filter can pass', () => {
  const limits = (where: ChangeWhere) => {
    const { subjects, predicates } = compileFilter(where);
    return [subjects, predicates];
  };
  expect(limits({ subject: { eq: 's', in: ['t'] }, predicate: { in: ['p', 'p', 'q'] } })).toEqual([['s'], ['p', 'q']]);
  for (const condition of [null, {}, { eq: null }, { in: null }])
    expect(limits({ subject: condition, predicate: condition })).toEqual([undefined, undefined]);
  expect(limits({ or: [{ subject: { eq: 's' } }], not: { predicate: { eq: 'p' } } })).toEqual([undefined, undefined]);
});

test('a change touches a filter that only a part of it passes: what goes, or what comes', () => {
  const old = { ...change.statement, object: { id: 'old' } };
  const replacing: LoggedChange = { ...change, op: 'replace', previous: [old] };
  const touched = (where: ChangeWhere) => {
    const { test: passed, touches } = compileFilter(where);
    return [passed(replacing), touches(replacing)];
  };
  expect(touched({ object: { eq: 'old' } })).toEqual([false, true]);
  expect(touched({ op: { eq: 'add' }, object: { eq: 'o' } })).toEqual([false, true]);
  expect(touched({ op: { eq: 'remove' }, object: { eq: 'o' } })).toEqual([false, false]);
});

test('a filter that asks for classes may pass anything until they are known, any other what it touches', () => {
  const may = (where: ChangeWhere) => mayPass(compileFilter(where), change);
  expect(may({ subject: { eq: 'other', type: { eq: 'urn:C' } } })).toBe(true);
  expect(may({ subject: { eq: 'other' } })).toBe(false);
  expect(may({ subject: { eq: 's' } })).toBe(true);
});

test('operations are asked for where a condition names one, however deep', () => {
  const asks = (where: ChangeWhere) => compileFilter(where).asksOp;
  expect([asks({ op: { eq: 'add' } }), asks({ not: { and: [{ op: { eq: 'add' } }] } })]).toEqual([true, true]);
  expect([asks({}), asks({ subject: { eq: 's' } })]).toEqual([false, false]);
});
