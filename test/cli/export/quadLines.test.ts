import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { QuadLines } from '../../../src/cli/export/quadLines.ts';
import type { StatementRow } from '../../../src/cli/export/rows.ts';
import { datatypeOf, isFloat } from '../../../src/graph/statements/statement.ts';
import { patchesOf } from '../import/patchesOf.ts';

const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const xsd = (name: string) => `http://www.w3.org/2001/XMLSchema#${name}`;

/** Text that Neo4j keeps: no half of a surrogate pair. */
const text = fc.string({ unit: 'grapheme' }).filter((each) => each.isWellFormed());
const awkward = fc.constantFrom(
  '',
  ' ',
  '"',
  '\\',
  '\n',
  '\r\n',
  '\t',
  '\u0000',
  '\u2028',
  "it's",
  '_:b0',
  '<>',
  '\u{1F600}',
);
const anyText = fc.oneof(text, awkward);
const id = fc.oneof(
  fc.constantFrom(
    'urn:a',
    'urn:b',
    'https://e.org/a b',
    'CHE',
    'urn:concord:id:x',
    '_:b',
    'http://e/{x}',
    'urn:é',
    '%',
    'urn:a%20',
  ),
  anyText.filter((each) => each !== ''),
);
const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((each) => each + 0),
  fc.constantFrom(1e-7, 1e21, 0.1, 5e-324),
);
const literal = fc
  .record({
    value: fc.oneof(anyText, number, fc.boolean(), fc.constantFrom('1', 'true', '1.5', '9007199254740993')),
    type: fc.option(
      fc.constantFrom(
        ...['string', 'integer', 'decimal', 'double', 'boolean', 'date', 'int'].map(xsd),
        'urn:t',
        'my type',
      ),
    ),
    language: fc.option(fc.constantFrom('en', 'en-GB', 'de-ch-1996')),
  })
  .map(({ value, type, language }) => {
    const datatype = datatypeOf(value, type ?? (language === null ? undefined : 'rdf:langString'));
    // Concord refuses such integers.
    const isTooLarge = typeof value === 'number' && !isFloat(value, datatype) && !Number.isSafeInteger(value);
    return { value: isTooLarge ? String(value) : value, datatype, language };
  });
const statement = fc.record({
  subject: id,
  predicate: fc.oneof(fc.constant(rdfType), id),
  object: fc.oneof(literal, id),
  graph: fc.option(id),
  certainty: fc.option(fc.double({ min: 0, max: 1, noNaN: true }).map((each) => each + 0)),
  provenance: fc.option(fc.dictionary(fc.constantFrom('source', 'n'), fc.oneof(anyText, fc.integer()))),
});

test('what is written is read back as the same statements and classes, whatever they hold', async () => {
  const graph = fc.record({
    statements: fc.uniqueArray(statement, {
      maxLength: 12,
      selector: ({ subject, predicate, object, graph }) =>
        JSON.stringify([subject, predicate, object, graph]),
    }),
    classes: fc.dictionary(id, fc.oneof(fc.constantFrom('urn:b', 'urn:C'), id)),
  });
  await fc.assert(
    fc.asyncProperty(graph, async ({ statements, classes }) => {
      const classOf = (entity: string) => (Object.hasOwn(classes, entity) ? (classes[entity] ?? null) : null);
      const rows = statements.map(
        ({ subject, predicate, object, graph, certainty, provenance }, index): StatementRow => ({
          subject,
          subjectType: classOf(subject),
          id: `-_${index}`,
          predicate,
          ...(typeof object === 'string'
            ? { objectId: object, objectType: classOf(object), value: null, datatype: null, language: null }
            : { objectId: null, objectType: null, ...object }),
          graph,
          certainty,
          provenance: provenance === null ? null : JSON.stringify(provenance),
          observedAt: '2026-01-31T00:00:00Z',
          sources: ['an "agent"', 'another'],
        }),
      );
      rows.sort((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0));
      const read = await patchesOf(new QuadLines().of(rows).join(''), 'nq', { piece: 1_000 });
      expect(read.faults).toEqual([]);
      expect(read.unasserted).toBe(0);

      const stated = read.statements.map(({ subject, predicate, object, ...rest }) => {
        const told =
          'id' in object
            ? object.id
            : [
                object.value,
                datatypeOf(object.value, object.type ?? (object.language && 'rdf:langString')),
                object.language ?? null,
              ];
        return JSON.stringify([
          subject.id,
          predicate.id,
          told,
          rest.graph ?? null,
          rest.certainty ?? null,
          rest.provenance ?? null,
        ]);
      });
      const meant = statements.map(({ subject, predicate, object, graph, certainty, provenance }) => {
        const told = typeof object === 'string' ? object : [object.value, object.datatype, object.language];
        return JSON.stringify([subject, predicate, told, graph, certainty, provenance]);
      });
      expect(stated.sort()).toEqual(meant.sort());

      const classified = new Map<string, string>();
      for (const { subject, object } of read.statements) {
        for (const each of 'id' in object ? [subject, object] : [subject]) {
          if (each.type === undefined) continue;
          expect(classified.get(each.id) ?? each.type).toBe(each.type);
          classified.set(each.id, each.type);
        }
      }
      const named = new Set(
        rows.flatMap(({ subject, objectId }) => [subject, ...(objectId === null ? [] : [objectId])]),
      );
      const meantClasses = Object.entries(classes).filter(([entity]) => named.has(entity));
      expect([...classified].sort()).toEqual(meantClasses.sort());
    }),
    { numRuns: 300 },
  );
});
