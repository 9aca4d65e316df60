import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Annotating, QuadLines, type QuadStyle } from '../../../src/cli/export/quadLines.ts';
import type { StatementRow } from '../../../src/cli/export/rows.ts';
import { type Serialisation, serialised } from '../../../src/cli/export/serialised.ts';
import { datatypeOf, isFloat } from '../../../src/graph/statements/statement.ts';
import { patchesOf } from '../import/patchesOf.ts';

const rdf = (name: string) => `http://www.w3.org/1999/02/22-rdf-syntax-ns#${name}`;
const rdfType = rdf('type');
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
    'rdf:type',
    'xsd:integer',
    // What annotations are made of, said by an agent.
    ...['Statement', 'subject', 'predicate', 'object', 'reifies'].map(rdf),
    ...['certainty', 'provenance', 'object', 'observedAt', 'source', 'graph'].map((name) => `urn:concord:${name}`),
    // The names of graphs that hold one statement.
    'urn:concord:statement:-_0',
    'urn:concord:statement:x:urn%3Ab',
  ),
  anyText.filter((each) => each !== ''),
);
const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((each) => each + 0),
  fc.constantFrom(1e-7, 1e21, 0.1, 5e-324),
);
const datatypeOfLanguage = (language: string | null) =>
  language === null ? undefined : language.includes('--') ? 'rdf:dirLangString' : 'rdf:langString';
const literal = fc
  .record({
    value: fc.oneof(
      anyText,
      number,
      fc.boolean(),
      fc.constantFrom('1', 'true', '1.5', '9007199254740993', '{"a": 1e400}', '[1]'),
    ),
    type: fc.option(
      fc.constantFrom(
        ...['string', 'integer', 'decimal', 'double', 'boolean', 'date', 'int'].map(xsd),
        'urn:t',
        'my type',
        'xsd_:integer',
        rdf('JSON'),
      ),
    ),
    language: fc.option(fc.constantFrom('en', 'en-GB', 'de-ch-1996', 'ar--rtl')),
  })
  .map(({ value, type, language }) => {
    const datatype = datatypeOf(value, type ?? datatypeOfLanguage(language));
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

/** What an export writes. */
async function written(
  rows: StatementRow[],
  style: QuadStyle,
  format: Serialisation = 'nq',
): Promise<{ text: string; leftOut: number }> {
  const quads = new QuadLines(style);
  async function* pages() {
    for (const row of rows) yield quads.of([row]).join('');
  }
  let [text, leftOut] = ['', 0];
  for await (const part of serialised(pages(), format, (count) => {
    leftOut += count;
  }))
    text += part;
  return { text, leftOut };
}

test.each<['nq' | 'trig' | 'jsonld', QuadStyle['rdf'], Annotating]>([
  ['nq', '1.2', 'triple-terms'],
  ['nq', '1.1', 'reification'],
  ['nq', '1.1', 'graphs'],
  ['trig', '1.2', 'triple-terms'],
  ['trig', '1.1', 'reification'],
  ['trig', '1.1', 'graphs'],
  ['jsonld', '1.1', 'reification'],
  ['jsonld', '1.1', 'graphs'],
])('what is written as %s of RDF %s with %s is read back as the same', async (format, version, annotations) => {
  const style: QuadStyle = { rdf: version, annotations };
  const graph = fc.record({
    statements: fc.uniqueArray(statement, {
      maxLength: 12,
      selector: ({ subject, predicate, object, graph }) => JSON.stringify([subject, predicate, object, graph]),
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
      const { text } = await written(rows, style, format);
      if (version === '1.1') expect(text.replace(/"([^"\\]|\\.)*"/g, '""')).not.toMatch(/<<|"@\w+--/);
      const read = await patchesOf(text, format, { piece: 1_000 });
      expect(read.faults).toEqual([]);
      expect(read.unasserted).toBe(0);

      const stated = read.statements.map(({ subject, predicate, object, ...rest }) => {
        const told =
          'id' in object
            ? object.id
            : [
                object.value,
                datatypeOf(object.value, object.type ?? datatypeOfLanguage(object.language ?? null)),
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
    { numRuns: format === 'nq' && version === '1.2' ? 300 : 100 },
  );
});

const row = (more: Partial<StatementRow>): StatementRow => ({
  subject: 'urn:a',
  subjectType: 'urn:C',
  id: 'x',
  predicate: 'urn:p',
  objectId: null,
  objectType: null,
  value: 1,
  datatype: xsd('integer'),
  language: null,
  graph: null,
  certainty: 0.5,
  provenance: '{"source": "s"}',
  observedAt: '2026-01-31T00:00:00Z',
  sources: ['scout'],
  ...more,
});

test('plain statements have no annotations, and RDF 1.1 no directions', async () => {
  const rows = [row({}), row({ value: 'x', language: 'ar--rtl', datatype: null, graph: 'urn:g' })];
  const type = '<urn:a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:C> .\n';
  const plain = await written(rows, { rdf: '1.1', annotations: 'plain' });
  expect(plain.text).toBe(`${type}<urn:a> <urn:p> "1"^^<${xsd('integer')}> .\n<urn:a> <urn:p> "x"@ar <urn:g> .\n`);
  expect((await written(rows, { rdf: '1.2', annotations: 'plain' })).text).toContain('"x"@ar--rtl');
});

test('Turtle leaves out named graphs and counts what that is', async () => {
  const { text, leftOut } = await written(
    [row({}), row({ graph: 'urn:g' })],
    { rdf: '1.2', annotations: 'plain' },
    'ttl',
  );
  const { statements } = await patchesOf(text, 'ttl');
  expect([statements, leftOut]).toEqual([
    [{ subject: { id: 'urn:a', type: 'urn:C' }, predicate: { id: 'urn:p' }, object: { value: 1 } }],
    1,
  ]);
});

test('JSON-LD says the same, with graphs and with nodes that speak of statements', async () => {
  const rows = [row({ graph: 'urn:g' }), row({ subject: 'urn:b', objectId: 'urn:a', objectType: 'urn:C' })];
  const { text } = await written(rows, { rdf: '1.1', annotations: 'reification' }, 'jsonld');
  const nodes = JSON.parse(text) as Record<string, unknown>[];
  const integer = { '@type': xsd('integer'), '@value': '1' };
  expect(nodes.find((node) => node['@id'] === 'urn:g')?.['@graph']).toEqual(
    expect.arrayContaining([expect.objectContaining({ '@id': 'urn:a', 'urn:p': [integer] })]),
  );
  expect(nodes).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ '@id': 'urn:b', 'urn:p': [{ '@id': 'urn:a' }] }),
      expect.objectContaining({
        '@type': ['http://www.w3.org/1999/02/22-rdf-syntax-ns#Statement'],
        'http://www.w3.org/1999/02/22-rdf-syntax-ns#subject': [{ '@id': 'urn:b' }],
        'urn:concord:certainty': [{ '@type': xsd('double'), '@value': '0.5' }],
      }),
    ]),
  );
});

test('JSON-LD keeps a text of rdf:JSON that would come back as another, or is no JSON', async () => {
  const texts = ['{"a":[1]}', '{"a": 1}', '1e400', '01', ''];
  const rows = texts.map((value) => row({ subject: `urn:${value.length}`, value, datatype: rdf('JSON') }));
  const { text } = await written(rows, { rdf: '1.1', annotations: 'plain' }, 'jsonld');
  const nodes = JSON.parse(text) as Record<string, unknown>[];
  const values = nodes.flatMap((node) => node['urn:p'] ?? []);
  expect(values).toEqual([
    { '@type': '@json', '@value': { a: [1] } },
    ...texts.slice(1).map((value) => ({ '@type': rdf('JSON'), '@value': value })),
  ]);
});

test('JSON-LD leaves in its graph what a graph says of itself, and a literal type is a value', async () => {
  const rows = [row({ subject: 'urn:g', graph: 'urn:g' }), row({ subject: 'urn:b', predicate: rdfType })];
  const { text } = await written(rows, { rdf: '1.1', annotations: 'plain' }, 'jsonld');
  const integer = { '@type': xsd('integer'), '@value': '1' };
  expect(JSON.parse(text)).toEqual([
    { '@id': 'urn:g', '@type': ['urn:C'] },
    { '@id': 'urn:g', '@graph': [{ '@id': 'urn:g', 'urn:p': [integer] }] },
    { '@id': 'urn:b', '@type': ['urn:C'], [rdfType]: [integer] },
  ]);
});

test('what agents say in the words of annotations stands as it is in what is plain', async () => {
  const { text } = await written([row({ predicate: rdf('subject') })], { rdf: '1.2', annotations: 'plain' });
  expect(text).toContain(`<urn:a> <${rdf('subject')}> "1"`);
});
