import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { freeName, labelOf, propertyOf, quoted, relationshipTypeOf } from '../../../src/graph/names/names.ts';

describe('a predicate becomes a relationship type and a property', () => {
  test.each([
    ['https://schema.org/worksFor', 'WORKS_FOR', 'worksFor'],
    ['https://schema.org/name', 'NAME', 'name'],
    ['https://example.org/world#nativeName', 'NATIVE_NAME', 'nativeName'],
    ['urn:p:HTTPServer', 'HTTP_SERVER', 'httpServer'],
    ['urn:p:works_for', 'WORKS_FOR', 'worksFor'],
    ['urn:p:works-for', 'WORKS_FOR', 'worksFor'],
    ['https://schema.org/worksFor/', 'WORKS_FOR', 'worksFor'],
    ['urn:p:line2', 'LINE_2', 'line2'],
    ['urn:p:line1_2', 'LINE_1_2', 'line1_2'],
    ['urn:p:人口', '人口', '人口'],
    ['urn:p:größe', 'GRÖSSE', 'grösse'],
    ['urn:p:a%20b', 'A_B', 'aB'],
    ['urn:p:`) DETACH DELETE n //', 'DETACH_DELETE_N', 'detachDeleteN'],
    ['urn:p:past', 'PAST_STATEMENT', 'pastStatement'],
    ['urn:p:hasMessage', 'HAS_MESSAGE_STATEMENT', 'hasMessageStatement'],
    ['urn:p:id', 'ID', 'id_'],
    ['urn:p:type', 'TYPE', 'type_'],
    ['urn:p:tenant', 'TENANT', 'tenant_'],
    ['', 'RELATED', 'related'],
  ])('%s is %s and %s', (iri, type, property) => {
    expect(relationshipTypeOf(iri)).toBe(type);
    expect(propertyOf(type)).toBe(property);
  });
});

describe('a class becomes a label', () => {
  test.each([
    ['https://schema.org/Country', 'Country'],
    ['https://schema.org/country', 'Country'],
    ['urn:c:capital city', 'CapitalCity'],
    ['https://schema.org/Update', 'UpdateEntity'],
    ['urn:c:entity', 'EntityEntity'],
    ['urn:c:literal', 'LiteralEntity'],
    ['urn:c:migration', 'MigrationEntity'],
    ['urn:c:!', 'Thing'],
  ])('%s is %s', (iri, label) => {
    expect(labelOf(iri)).toBe(label);
  });
});

test('whatever the IRI, its names can be quoted, also where letters change into several with their case', () => {
  const iri = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('ΐ', 'İ', 'ǰ', 'ß', 'ﬁ', 'ŉ', 'ẖ', 'ǅ', 'a', 'B', '_', '1', '`', '\ud83d', '/', '#', '%41'),
    }),
  );
  fc.assert(
    fc.property(iri, (text) => {
      const type = relationshipTypeOf(text);
      for (const name of [type, labelOf(text), propertyOf(type)]) expect(quoted(name)).toBe(`\`${name}\``);
      expect(type.length).toBeLessThanOrEqual(400);
    }),
    { numRuns: 5_000 },
  );
});

test.each(['', 'a b', 'a`b', 'a-b', 'a\u0000', '\\u0060'])('%j is not quoted', (name) => {
  expect(() => quoted(name)).toThrow('Not a name');
});

test('a name that is taken gets the first number that is free', () => {
  const taken = new Set(['NAME', 'NAME_2', 'NAME_4']);
  expect(freeName('NAME', (name) => taken.has(name))).toBe('NAME_3');
  expect(freeName('OTHER', (name) => taken.has(name))).toBe('OTHER');
});
