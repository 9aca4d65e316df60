import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { StartupError } from '../../src/base/errors.ts';
import { VocabularyError } from '../../src/vocabulary/faults.ts';
import { parseVocabulary } from '../../src/vocabulary/parse.ts';
import { predicatesOf } from '../../src/vocabulary/vocabulary.ts';

const schema = 'extend schema @vocabulary(base: "https://schema.org/")\n';

/** The message that a vocabulary with these lines after the first is refused with. */
function faultsOf(lines: string): string {
  return refusal(schema + lines);
}

function refusal(sdl: string): string {
  try {
    parseVocabulary(sdl, 'geo.graphql');
  } catch (error) {
    expect(error).toBeInstanceOf(VocabularyError);
    expect(error).toBeInstanceOf(StartupError);
    return (error as Error).message;
  }
  throw new Error('The vocabulary was accepted');
}

test('classes and predicates get their IRIs from the base or from their directives', () => {
  const vocabulary = parseVocabulary(
    `${schema}
    "A country"
    type Country @class {
      id: ID!
      name: String! @predicate(indexed: true)
      "Also spelled"
      names: [String!]
      capital: City
      borders: [Country!]! @predicate(iri: "https://example.org/geo#borders")
    }
    type City @class(iri: "urn:city") {
      name: String @predicate(indexed: true)
      capitalOf: [Country!]! @inverse(of: "capital")
    }`,
    'geo.graphql',
  );
  const name = {
    kind: 'literal',
    name: 'name',
    predicate: 'https://schema.org/name',
    scalar: 'String',
    list: false,
    indexed: true,
    functional: false,
    certainty: 'LATEST',
  };
  expect(vocabulary).toEqual({
    base: 'https://schema.org/',
    classes: [
      {
        name: 'Country',
        iri: 'https://schema.org/Country',
        description: 'A country',
        fields: [
          name,
          {
            ...name,
            name: 'names',
            predicate: 'https://schema.org/names',
            list: true,
            indexed: false,
            description: 'Also spelled',
          },
          {
            kind: 'link',
            name: 'capital',
            predicate: 'https://schema.org/capital',
            target: 'City',
            list: false,
            functional: true,
            certainty: 'LATEST',
          },
          {
            kind: 'link',
            name: 'borders',
            predicate: 'https://example.org/geo#borders',
            target: 'Country',
            list: true,
            functional: false,
            certainty: 'LATEST',
          },
        ],
      },
      {
        name: 'City',
        iri: 'urn:city',
        fields: [name, { kind: 'inverse', name: 'capitalOf', of: 'capital', target: 'Country' }],
      },
    ],
  });
  expect(vocabulary.classes.map(({ iri }) => iri)).toEqual(['https://schema.org/Country', 'urn:city']);
  const predicates = predicatesOf(vocabulary);
  const domains = predicates.get('https://schema.org/name')?.domains.map((each) => each.name);
  expect(domains).toEqual(['Country', 'City']);
  expect(predicates.get('https://schema.org/capital')?.ranges.map((each) => each.name)).toEqual(['City']);
  expect(predicates.size).toBe(4);
});

test('a field has the certainty policy that it is given, with an IRI or without, and else LATEST', () => {
  const { classes } = parseVocabulary(
    `extend schema @vocabulary(base: "urn:x:")
    type A @class {
      a: Int @predicate(certainty: MAX)
      b: [A] @predicate(iri: "urn:b", certainty: NOISY_OR)
      c: A @predicate(certainty: LATEST)
      d: Int
    }`,
    'geo.graphql',
  );
  expect(classes[0]?.fields).toMatchObject([
    { predicate: 'urn:x:a', certainty: 'MAX' },
    { predicate: 'urn:b', certainty: 'NOISY_OR' },
    { predicate: 'urn:x:c', certainty: 'LATEST' },
    { predicate: 'urn:x:d', certainty: 'LATEST' },
  ]);
});

test('what was called otherwise keeps the IRI that it had', () => {
  const sdl = `${schema}type State @class(was: "Country") {
      title: String @predicate(was: "name", indexed: true)
      neighbours: [State] @predicate(was: "urn:borders")
    }`;
  expect(parseVocabulary(sdl, 'f').classes).toMatchObject([
    {
      name: 'State',
      iri: 'https://schema.org/Country',
      was: 'https://schema.org/Country',
      fields: [
        { predicate: 'https://schema.org/name', was: 'https://schema.org/name', indexed: true },
        { predicate: 'urn:borders', was: 'urn:borders' },
      ],
    },
  ]);
});

test('a class may be named like a system label', () => {
  const names = ['Literal', 'Agent', 'Task', 'Message', 'Artifact', 'Update', 'Change', 'Ledger', 'Rule', 'Class'];
  const types = [...names, 'Predicate'].map((each) => `type ${each} @class { name: String }`);
  expect(parseVocabulary(schema + types.join('\n'), 'f').classes).toHaveLength(11);
});

test('one field name may stand for two predicates in two classes', () => {
  const sdl = `${schema}type A @class { at: DateTime }
    type B @class { at: [Date] @predicate(iri: "urn:at") }`;
  expect(predicatesOf(parseVocabulary(sdl, 'f')).size).toBe(2);
});

test('two classes may read the same predicate backwards', () => {
  const sdl = `${schema}type Country @class { capital: City } type State @class { capital: City }
    type City @class { ofCountry: [Country] @inverse(of: "capital") ofState: [State] @inverse(of: "capital") }`;
  expect(parseVocabulary(sdl, 'f').classes).toHaveLength(3);
});

test('every fault is told at once, in the order of the file', () => {
  expect(faultsOf('type A @class { b: Xyzzy }\nenum C { D }\ntype E { id: ID! }')).toBe(
    [
      'geo.graphql:2:20: Unknown type "Xyzzy".',
      'geo.graphql:3:1: Enums are not supported yet: use a String.',
      'geo.graphql:4:6: Type "E" is not a class: add @class.',
    ].join('\n'),
  );
});

test('a class may have a key, of one field or several', () => {
  const sdl = `extend schema @vocabulary(base: "https://schema.org/")
    type A @class(key: ["b", "a"]) { a: Int b: String }
    type B @class { a: Int }`;
  expect(parseVocabulary(sdl, 'geo.graphql').classes.map(({ key }) => key)).toEqual([['b', 'a'], undefined]);
});

const predicateTwice = (a: string, b: string) =>
  `type A @class { ${a} }\ntype B @class { id: ID! }\ntype C @class {\n  ${b} }`;
const alreadyA = 'geo.graphql:5:3: Predicate <https://schema.org/x> is already "A.x" with another';

test.each([
  ['type A @class {', 'geo.graphql:2:16: Syntax Error: Expected Name, found <EOF>.'],
  ['type A @class @klass { a: Int }', 'geo.graphql:2:15: Unknown directive "@klass".'],
  [
    'type A @class(irri: "urn:a") { a: Int }',
    'geo.graphql:2:15: Unknown argument "irri" on directive "@class". Did you mean "iri"?',
  ],
  ['type A @class(iri: 5) { a: Int }', 'geo.graphql:2:20: Argument "iri" has invalid value 5.'],
  ['type A @class(iri: "a") { a: Int }', 'geo.graphql:2:8: "a" is not an absolute IRI.'],
  ['type A @class(iri: "urn:a b") { a: Int }', 'geo.graphql:2:8: "urn:a b" is not an absolute IRI.'],
  ['type A @class(iri: "") { a: Int }', 'geo.graphql:2:8: "" is not an absolute IRI.'],
  ['type A @class(key: []) { a: Int }', 'geo.graphql:2:8: The key of "A" is empty: name its fields or leave it out.'],
  ['type A @class(key: ["b"]) { a: Int }', 'geo.graphql:2:8: The key of "A" names "b", which is no field of it.'],
  [
    'type A @class(key: ["toString"]) { a: Int }',
    'geo.graphql:2:8: The key of "A" names "toString", which is no field of it.',
  ],
  ['type A @class(key: ["a", "a"]) { a: Int }', 'geo.graphql:2:8: The key of "A" names "a" twice.'],
  ...['a: Float', 'a: [Int!]!', 'a: A', 'a: DateTime', 'a: Boolean'].map((field) => [
    `type A @class(key: ["a"]) { ${field} }`,
    'geo.graphql:2:8: The key of "A" names "a", which is not a single String, ID, Int, Date.',
  ]),
  ['type A @class { a: Int @predicate(iri: "x") }', 'geo.graphql:2:24: "x" is not an absolute IRI.'],
  ['type A @class { a: Int @predicate(iri: "") }', 'geo.graphql:2:24: "" is not an absolute IRI.'],
  [
    'type A @class { a: Int @predicate(indexed: "yes") }',
    'geo.graphql:2:44: Argument "indexed" has invalid value "yes".',
  ],
  [
    'type A @class { a: Int @predicate(functional: true) @predicate(indexed: true) }',
    'geo.graphql:2:53: The directive "@predicate" can only be used once at this location.',
  ],
  ['type A @class { a: Int @class }', 'geo.graphql:2:24: Directive "@class" may not be used on FIELD_DEFINITION.'],
  [
    'type A @class { a: Int @deprecated }',
    'geo.graphql:2:24: Directive "@deprecated" is not supported in a vocabulary.',
  ],
  [
    'type A @class { a: Int @predicate(was: "b", iri: "urn:a") }',
    'geo.graphql:2:24: "a" has an IRI: what it was called says nothing more. Drop "iri" or "was".',
  ],
  ['type A @class { a: Int @predicate(was: "b c") }', 'geo.graphql:2:24: "b c" is neither a name nor an absolute IRI.'],
  ['type A @class(was: "") { a: Int }', 'geo.graphql:2:8: "" is neither a name nor an absolute IRI.'],
  ['type A @class { a: Time }', 'geo.graphql:2:20: Unknown type "Time".'],
  ['type A @class { a: [[Int]] }', 'geo.graphql:2:20: Field "a" may not be a list of lists.'],
  ['type A @class { a(unit: String): Int }', 'geo.graphql:2:19: Field "a" may not have arguments.'],
  ['type A { a: Int }', 'geo.graphql:2:6: Type "A" is not a class: add @class.'],
  ['type A @class', 'geo.graphql:2:6: Class "A" has no fields: declare at least "id: ID!".'],
  [
    'type A @class { a: Int }\ntype A @class { b: Int }',
    'geo.graphql:3:6: There can be only one type named "A".\ngeo.graphql:3:8: The directive "@class" can only be used once at this location.',
  ],
  ['type A @class { a: Int a: Int }', 'geo.graphql:2:24: Field "A.a" can only be defined once.'],
  [
    'type A @class { a: Int }\ntype B @class(iri: "https://schema.org/A") { b: Int }',
    'geo.graphql:3:6: Classes "A" and "B" have the same IRI <https://schema.org/A>.',
  ],
  ['enum A { B }', 'geo.graphql:2:1: Enums are not supported yet: use a String.'],
  ['scalar A', 'geo.graphql:2:1: Scalars of your own are not supported yet.'],
  ['input A { a: Int }', 'geo.graphql:2:1: Input types are not supported: updates are patches.'],
  ['interface A { a: Int }', 'geo.graphql:2:1: Interfaces are not supported yet.'],
  ['type B @class { b: Int }\nunion A = B', 'geo.graphql:3:1: Unions are not supported yet.'],
  ['directive @a on FIELD', 'geo.graphql:2:1: Directive definitions are not supported.'],
  [
    'type A @class { a: Int }\nextend type A { b: Int }',
    'geo.graphql:3:1: Only "extend schema @vocabulary" and types may stand in a vocabulary.',
  ],
  ['query { a }', 'geo.graphql:2:1: Only "extend schema @vocabulary" and types may stand in a vocabulary.'],
  [
    'extend schema @vocabulary(base: "urn:x:")',
    'geo.graphql:2:15: The directive "@vocabulary" can only be used once at this location.',
  ],
  [
    'extend schema { query: A }\ntype A @class { a: Int }',
    'geo.graphql:2:17: Root types are generated: write only "extend schema @vocabulary(base: …)".',
  ],
  ['type A @class { __a: Int }', 'geo.graphql:2:17: Name "__a" begins with "__", which GraphQL reserves.'],
  ['type __A @class { a: Int }', 'geo.graphql:2:6: Name "__A" begins with "__", which GraphQL reserves.'],
  [
    'type A @class { id: Int }',
    'geo.graphql:2:17: Field "id" is the entity\'s own id: declare it as "id: ID!" or leave it out.',
  ],
  [
    'type A @class { type: String }',
    'geo.graphql:2:17: Field name "type" is reserved: every class has this field already.',
  ],
  [
    'type A @class { statements: Int }',
    'geo.graphql:2:17: Field name "statements" is reserved: every class has this field already.',
  ],
  ...['AND', 'node', 'edge', 'cursor', 'count', 'x_IN', 'xConnection', 'xAggregate', 'constructor'].map((name) => [
    `type A @class { ${name}: Int }`,
    `geo.graphql:2:17: Field name "${name}" is reserved for queries: choose another and give the predicate as @predicate(iri: …).`,
  ]),
  ...[
    'Entity',
    'Statement',
    'StatementObject',
    'StatementSource',
    'StatementProperties',
    'RegisteredAgent',
    'RegisteredAgentSkill',
    'Query',
    'Subscription',
    'PageInfo',
    'Value',
    'JSON',
    'StringScalarFilters',
    'toString',
  ].map((name) => [
    `type ${name} @class { a: Int }`,
    `geo.graphql:2:6: Class name "${name}" is reserved: the generated schema has a type of this name.`,
  ]),
  [
    'type AConnection @class { a: Int }',
    'geo.graphql:2:6: Class name "AConnection" ends with "Connection", which pagination reserves.',
  ],
  [
    'type AWhere @class { a: Int }\ntype A @class { a: Int }',
    'geo.graphql:3:6: "AWhere" and "A" collide: both give the generated schema a type "AWhere".',
  ],
  [
    'type A @class { bC: [A] }\ntype AB @class { c: [A] }',
    'geo.graphql:3:18: "A.bC" and "AB.c" collide: both give the generated schema a type "ABCConnection".',
  ],
  [
    'type A @class { b: [A] B: [A] }',
    'geo.graphql:2:24: "A.b" and "A.B" collide: both give the generated schema a type "ABConnection".',
  ],
  [
    'type A @class { a: [Int] @predicate(indexed: true) }',
    'geo.graphql:2:26: Field "a" is a list, which cannot be indexed.',
  ],
  [
    'type A @class { a: [Int] @predicate(functional: true) }',
    'geo.graphql:2:26: Field "a" is a list, which cannot be functional.',
  ],
  [
    'type A @class { a: [A] @predicate(indexed: true) }',
    'geo.graphql:2:24: Field "a" is a link, which cannot be indexed.',
  ],
  [
    'type A @class { a: A @predicate(functional: false) }',
    'geo.graphql:2:22: Field "a" has one value, so it is functional: make it a list or drop "functional: false".',
  ],
  [
    'type A @class { a: [A] @inverse }',
    'geo.graphql:2:24: Directive "@inverse" argument "of" of type "String!" is required, but it was not provided.',
  ],
  [
    'type A @class { a: [A] @inverse(of: "b") }',
    'geo.graphql:2:17: Field "a" is the inverse of "A.b", which does not exist.',
  ],
  [
    'type A @class { b: Int a: [A] @inverse(of: "b") }',
    'geo.graphql:2:24: Field "a" is the inverse of "A.b", which is not a link.',
  ],
  [
    'type A @class { b: [B] a: [A] @inverse(of: "b") }\ntype B @class { id: ID }',
    'geo.graphql:2:24: Field "a" is the inverse of "A.b", which points to "B" and not to "A".',
  ],
  [
    'type A @class { b: [A] c: [A] @inverse(of: "b") d: [A] @inverse(of: "b") }',
    'geo.graphql:2:49: "A.c" is the inverse of "A.b" already.',
  ],
  [
    'type A @class { b: [A] a: A @inverse(of: "b") }',
    'geo.graphql:2:27: Field "a" is an inverse: its type must be a list of a class.',
  ],
  [
    'type A @class { b: [A] a: [Int] @inverse(of: "b") }',
    'geo.graphql:2:27: Field "a" is an inverse: its type must be a list of a class.',
  ],
  [
    'type A @class { b: [A] a: [A] @inverse(of: "b") @predicate }',
    'geo.graphql:2:49: Field "a" is an inverse: its predicate is the link\'s.',
  ],
  [
    predicateTwice('x: Int', 'y: Int @predicate(iri: "https://schema.org/x")'),
    `${alreadyA} name: a predicate must be the same field in every class.`,
  ],
  [
    predicateTwice('x: Int', 'x: [B]'),
    `${alreadyA} kind (literal or link): a predicate must be the same field in every class.`,
  ],
  [predicateTwice('x: Int', 'x: String'), `${alreadyA} scalar: a predicate must be the same field in every class.`],
  [predicateTwice('x: Int', 'x: [Int]'), `${alreadyA} list-ness: a predicate must be the same field in every class.`],
  [
    predicateTwice('x: Int', 'x: Int @predicate(indexed: true)'),
    `${alreadyA} flag "indexed": a predicate must be the same field in every class.`,
  ],
  [
    predicateTwice('x: [B]', 'x: B'),
    `${alreadyA} flag "functional": a predicate must be the same field in every class.`,
  ],
  [
    predicateTwice('x: Int @predicate(certainty: MAX)', 'x: Int'),
    `${alreadyA} certainty policy: a predicate must be the same field in every class.`,
  ],
  [
    predicateTwice('x: [B] @predicate(certainty: MAX)', 'x: [B] @predicate(certainty: NOISY_OR)'),
    `${alreadyA} certainty policy: a predicate must be the same field in every class.`,
  ],
  [
    'type A @class { a: Int @predicate(certainty: MEAN) }',
    'geo.graphql:2:46: Argument "certainty" has invalid value MEAN.',
  ],
  ['type A @class { a: CertaintyPolicy }', 'geo.graphql:2:20: Type "CertaintyPolicy" is not a class and not a scalar.'],
])('%s is refused', (lines, message) => {
  expect(faultsOf(lines)).toBe(message);
});

test.each([
  ['', 'geo.graphql:1:1: Syntax Error: Unexpected <EOF>.'],
  [
    'type A @class { a: Int }',
    'geo.graphql:1:1: The vocabulary has no base: add extend schema @vocabulary(base: "https://…/").',
  ],
  [
    'extend schema @vocabulary',
    'geo.graphql:1:15: Directive "@vocabulary" argument "base" of type "String!" is required, but it was not provided.',
  ],
  [
    'extend schema @vocabulary(base: "schema.org/")',
    'geo.graphql:1:15: The base "schema.org/" is not an absolute IRI.',
  ],
  [
    'extend schema @vocabulary(base: "https://schema.org")',
    'geo.graphql:1:15: The base "https://schema.org" must end with "/", "#" or ":".',
  ],
])('%j is refused', (sdl, message) => {
  expect(refusal(sdl)).toBe(message);
});

test('any text is either a vocabulary or refused with a place', () => {
  const words = [
    'type',
    'A',
    'B',
    '@class',
    '@predicate',
    '@inverse',
    '(iri: "urn:a")',
    '(of: "a")',
    '{',
    '}',
    '[',
    ']',
    '!',
    ':',
    'a',
    'Int',
    'id',
    ' ',
    '\n',
    '"""',
    'extend schema',
    '@vocabulary(base: "urn:x:")',
  ];
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...words)).map((each) => each.join(' ')),
  );
  fc.assert(
    fc.property(text, fc.boolean(), (body, withBase) => {
      try {
        parseVocabulary((withBase ? schema : '') + body, 'f');
      } catch (error) {
        expect(error).toBeInstanceOf(VocabularyError);
        for (const line of (error as Error).message.split('\n')) expect(line).toMatch(/^f:\d+:\d+: \S/);
      }
    }),
    { numRuns: 500 },
  );
});
