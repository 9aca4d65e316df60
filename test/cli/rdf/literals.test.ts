import { expect, test } from '@jest/globals';
import { isExactInRdf, lexicalOf, literalOf } from '../../../src/cli/rdf/literals.ts';

const xsd = (name: string) => `http://www.w3.org/2001/XMLSchema#${name}`;

test.each([
  ['text', 'string', { value: 'text' }],
  ['7', 'integer', { value: 7 }],
  ['-007', 'integer', { value: -7 }],
  ['9007199254740993', 'integer', { value: '9007199254740993', type: xsd('integer') }],
  ['seven', 'integer', { value: 'seven', type: xsd('integer') }],
  ['7', 'byte', { value: 7, type: xsd('byte') }],
  ['1', 'boolean', { value: true }],
  ['false', 'boolean', { value: false }],
  ['1.50', 'decimal', { value: 1.5, type: xsd('decimal') }],
  ['0.1000000000000000055', 'decimal', { value: '0.1000000000000000055', type: xsd('decimal') }],
  ['1.0E3', 'double', { value: 1000, type: xsd('double') }],
  ['INF', 'double', { value: 'INF', type: xsd('double') }],
  ['1e400', 'double', { value: '1e400', type: xsd('double') }],
  ['2026-01-31', 'date', { value: '2026-01-31', type: xsd('date') }],
])('"%s"^^xsd:%s is %j', (lexical, type, literal) => {
  expect(literalOf(lexical, xsd(type))).toEqual(literal);
});

test('a decimal is written without an exponent', () => {
  const decimal = (value: number) => lexicalOf({ value, type: xsd('decimal') });
  expect([1e-7, 1.25e-9, -1.5e21, 1e21, 0.5].map(decimal)).toEqual([
    '0.0000001',
    '0.00000000125',
    '-1500000000000000000000.0',
    '1000000000000000000000.0',
    '0.5',
  ]);
});

test('it is known what RDF cannot tell: text in place of a number, a number of an own type, a tag in capitals', () => {
  const exact = { value: 5, type: xsd('integer') };
  expect(isExactInRdf(exact)).toBe(true);
  expect(isExactInRdf({ ...exact, value: '5' })).toBe(false);
  expect(isExactInRdf({ value: 5, type: 'urn:kilograms' })).toBe(false);
  const langString = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString';
  expect(isExactInRdf({ value: 'a', type: langString, language: 'en' })).toBe(true);
  expect(isExactInRdf({ value: 'a', type: langString, language: 'en-GB' })).toBe(false);
});
