import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { converted } from '../../src/vocabulary/conversion.ts';
import { differencesBetween } from '../../src/vocabulary/differences.ts';
import { parseVocabulary } from '../../src/vocabulary/parse.ts';
import { scalars } from '../../src/vocabulary/vocabulary.ts';

const vocabularyOf = (types: string, base = 'urn:x:') =>
  parseVocabulary(`extend schema @vocabulary(base: "${base}")\n${types}`, 'f');

const between = (before: string, after: string) => differencesBetween(vocabularyOf(before), vocabularyOf(after));

const a = (field: string) => `type A @class { ${field} }`;
const statements = { of: 'statements', class: 'urn:x:A', predicate: 'urn:x:a' };
const values = (field: object) => ({ of: 'values', class: 'urn:x:A', predicate: 'urn:x:a', field });

test.each([
  ['nothing', 'a: Int', 'a: Int', []],
  ['a description', 'a: Int', '"of a kind" a: Int!', []],
  [
    'a type',
    'a: Float',
    'a: Int',
    [
      {
        what: 'A.a',
        change: 'takes Int and no longer Float',
        doubts: [values({ scalar: 'Int' })],
        mend: 'a: Float',
      },
    ],
  ],
  [
    'a type that takes more',
    'a: Int',
    'a: Float',
    [{ what: 'A.a', change: 'takes Float and no longer Int', doubts: [], mend: 'a: Int' }],
  ],
  [
    'a literal that becomes a link',
    'a: Float',
    'a: A',
    [
      {
        what: 'A.a',
        change: 'takes A and no longer Float',
        doubts: [values({ target: 'urn:x:A' })],
        mend: 'a: Float',
      },
      {
        what: 'A.a',
        change: 'is functional: an update to what has several objects is rejected',
        doubts: [{ ...statements, of: 'further objects' }],
      },
    ],
  ],
  [
    'a list that becomes one',
    'a: [Int]',
    'a: Int',
    [
      {
        what: 'A.a',
        change: 'has one value and no longer a list',
        doubts: [{ ...statements, of: 'further values' }],
        mend: 'a: [Int!]',
      },
    ],
  ],
  [
    'one that becomes a list',
    'a: Int',
    'a: [Int]',
    [{ what: 'A.a', change: 'has a list and no longer one value', doubts: [] }],
  ],
  [
    'a field that is removed',
    'a: Int b: String',
    'b: String',
    [{ what: 'A.a', change: 'is removed', doubts: [statements] }],
  ],
  [
    'a field of another name, as far as can be told',
    'a: Int',
    'c: Int',
    [
      { what: 'A.c', change: 'is new', doubts: [] },
      {
        what: 'A.a',
        change: 'is removed',
        doubts: [statements],
        mend: 'if it is called otherwise now: c: … @predicate(was: "urn:x:a")',
      },
    ],
  ],
  [
    'a field that was another',
    'a: Int',
    'c: Int @predicate(was: "a")',
    [{ what: 'A.c', change: 'was called a', doubts: [] }],
  ],
  [
    'a field with another predicate',
    'a: Int',
    'a: Int @predicate(iri: "urn:y:a")',
    [
      {
        what: 'A.a',
        change: 'has another predicate, <urn:y:a> for <urn:x:a>',
        doubts: [statements],
        mend: '@predicate(iri: "urn:x:a")',
      },
    ],
  ],
  [
    'an inverse that is removed',
    'a: [A] b: [A] @inverse(of: "a")',
    'a: [A]',
    [{ what: 'A.b', change: 'is removed: A.a is read from its own end only', doubts: [] }],
  ],
])('%s is told', (_, before, after, differences) => {
  expect(between(a(before), a(after))).toEqual(differences);
});

test('a class that is removed, called otherwise or of another IRI is told', () => {
  const entities = [{ of: 'entities', class: 'urn:x:A' }];
  expect(between(`${a('a: Int')} type B @class { b: Int }`, 'type B @class { b: Int }')).toEqual([
    { what: 'A', change: 'is removed', doubts: entities },
  ]);
  const [isNew, , removed] = between(a('a: Int'), 'type C @class { a: Int }');
  expect(isNew).toEqual({ what: 'C', change: 'is new', doubts: [] });
  expect(removed?.mend).toBe('if C is what it is called now: type C @class(was: "urn:x:A")');
  expect(between(a('a: Int'), 'type C @class(was: "A") { a: Int }')).toEqual([
    { what: 'C', change: 'was called A', doubts: [] },
  ]);
  expect(between(a('a: Int'), 'type A @class(iri: "urn:y:A") { a: Int }')).toEqual([
    {
      what: 'A',
      change: 'has another IRI, <urn:y:A> for <urn:x:A>',
      doubts: entities,
      mend: '@class(iri: "urn:x:A")',
    },
  ]);
});

test('another base is another IRI of every class and field', () => {
  const found = differencesBetween(vocabularyOf(a('a: Int')), vocabularyOf(a('a: Int'), 'urn:y:'));
  expect(found.map(({ what, doubts }) => [what, doubts])).toEqual([
    ['A', [{ of: 'entities', class: 'urn:x:A' }]],
    ['A.a', [statements]],
  ]);
});

test('where nothing is known of before, or everything is asked for, each field is in doubt', () => {
  const doubts = [values({ scalar: 'Int' })];
  const now = vocabularyOf(a('a: Int'));
  expect(differencesBetween(undefined, now)).toEqual([{ what: 'A.a', change: 'is not known from before', doubts }]);
  expect(differencesBetween(now, now, true)).toEqual([{ what: 'A.a', change: 'is as it was', doubts }]);
});

test.each([
  [5.5, 'String', '5.5'],
  [true, 'String', 'true'],
  ['5.5', 'Float', 5.5],
  ['5', 'Int', 5],
  ['5.5', 'Int', undefined],
  ['05', 'Int', undefined],
  ['0x10', 'Float', undefined],
  ['Infinity', 'Float', undefined],
  ['-0', 'Int', undefined],
  ['', 'Int', undefined],
  [5.5, 'Int', undefined],
  ['false', 'Boolean', false],
  ['no', 'Boolean', undefined],
  ['2020-02-30', 'Date', undefined],
] as const)('%p as a %s is %p', (value, scalar, expected) => {
  expect(converted(value, scalar)).toBe(expected);
});

test('from what is converted, what was there before can be told', () => {
  const value = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.integer().map(String));
  fc.assert(
    fc.property(value, fc.constantFrom(...scalars), (before, scalar) => {
      const after = converted(before, scalar);
      if (after !== undefined) expect(String(after)).toBe(String(before));
    }),
  );
});

test.each([
  [
    '(key: ["a"])',
    '(key: ["b"])',
    'has another key, (b) for (a): what is put by it gets another id, and is another entity',
  ],
  ['(key: ["a"])', '', "has no key, and had (a): entities can't be put by it any more"],
  [
    '',
    '(key: ["a"])',
    'has a key, (a), and had none: what is put by it is another entity than what has an id of its own',
  ],
])('a changed key of a class is told: %s, %s', (before, after, change) => {
  const of = (key: string) => `type A @class${key} { a: String b: String }`;
  const mend = before === '' ? {} : { mend: '@class(key: ["a"])' };
  expect(between(of(before), of(after))).toEqual([{ what: 'A', change, doubts: [], ...mend }]);
});

test('the order of the fields of a key says nothing', () => {
  const of = (key: string) => `type A @class(key: ${key}) { a: String b: String }`;
  expect(between(of('["a", "b"]'), of('["b", "a"]'))).toEqual([]);
});
