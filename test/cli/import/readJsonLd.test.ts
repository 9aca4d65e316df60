import { describe, expect, test } from '@jest/globals';
import { patchesOf } from './patchesOf.ts';

const xsd = (name: string) => `http://www.w3.org/2001/XMLSchema#${name}`;
const rdf = (name: string) => `http://www.w3.org/1999/02/22-rdf-syntax-ns#${name}`;
type Options = Parameters<typeof patchesOf>[2];
const read = (document: unknown, options?: Options) =>
  patchesOf(typeof document === 'string' ? document : JSON.stringify(document), 'jsonld', options);

/** Subject, predicate, object and graph of what is read. */
async function stated(document: unknown, options?: Options): Promise<unknown[]> {
  const { statements, faults } = await read(document, options);
  expect(faults).toEqual([]);
  return statements.map(({ subject, predicate, object, graph }) => [
    subject.id,
    predicate.id,
    'id' in object ? object.id : object,
    ...(graph === undefined ? [] : [graph]),
  ]);
}

const context = { '@vocab': 'urn:v:', id: '@id', at: { '@id': 'urn:v:at', '@type': xsd('date') } };
const one = { '@context': context, id: 'urn:a', name: 'x' };
const meant = [['urn:a', 'urn:v:name', { value: 'x' }]];

describe('whatever order and form a document has', () => {
  test.each([
    ['an object', one],
    ['an object whose context stands behind', { id: 'urn:a', name: 'x', '@context': context }],
    ['an array', [one]],
    ['@graph', { '@context': context, '@graph': [{ id: 'urn:a', name: 'x' }] }],
    ['@graph before its context', { '@graph': [{ id: 'urn:a', name: 'x' }], '@context': context }],
    ['spaces everywhere', JSON.stringify([one], undefined, '\t').replaceAll('\n', '\r\n  ')],
    ['a byte order mark', `\uFEFF${JSON.stringify(one)}\n`],
  ])('%s', async (_, document) => {
    expect(await stated(document)).toEqual(meant);
  });

  test('the base of a context counts for its nodes', async () => {
    const document = { '@context': { '@base': 'http://e.org/' }, '@graph': [{ '@id': 'a', 'urn:p': 1 }] };
    expect(await stated(document)).toEqual([['http://e.org/a', 'urn:p', { value: 1 }]]);
  });

  test.each([
    ['before', (graph: unknown) => ({ '@context': context, id: 'urn:g', '@graph': graph })],
    ['behind', (graph: unknown) => ({ '@graph': graph, '@id': 'urn:g', '@context': context })],
  ])('a graph is named %s it', async (_, document) => {
    expect(await stated(document([{ '@id': 'urn:a', 'urn:p': 1 }]))).toEqual([
      ['urn:a', 'urn:p', { value: 1 }, 'urn:g'],
    ]);
  });

  test('what is said of a graph stands beside its nodes, and of one without a name too', async () => {
    const document = {
      '@graph': [
        { '@id': 'urn:a', 'urn:p': 1 },
        { '@id': 'urn:b', 'urn:p': 2 },
      ],
      'urn:by': 'me',
    };
    expect(await stated({ ...document, '@id': 'urn:g' })).toEqual([
      ['urn:g', 'urn:by', { value: 'me' }],
      ['urn:a', 'urn:p', { value: 1 }, 'urn:g'],
      ['urn:b', 'urn:p', { value: 2 }, 'urn:g'],
    ]);
    const blank = 'urn:concord:blank:file:.1';
    expect(await stated(document)).toEqual(
      expect.arrayContaining([
        ['urn:a', 'urn:p', { value: 1 }, blank],
        ['urn:b', 'urn:p', { value: 2 }, blank],
        [blank, 'urn:by', { value: 'me' }],
      ]),
    );
  });

  test('brackets and quotes in texts cut nothing', async () => {
    const name = ']},[{"\\"@graph": [\n';
    expect(
      await stated([
        { '@id': 'urn:a', 'urn:p': name },
        { '@id': 'urn:b', 'urn:p': 'y' },
      ]),
    ).toEqual([
      ['urn:a', 'urn:p', { value: name }],
      ['urn:b', 'urn:p', { value: 'y' }],
    ]);
  });
});

test('values are what they are in RDF', async () => {
  const values = [
    'x',
    1,
    1.5,
    1e21,
    true,
    { '@value': 'x', '@language': 'de-CH' },
    { '@value': 'x', '@language': 'ar', '@direction': 'rtl' },
    { '@value': '2026-01-31', '@type': xsd('date') },
    { '@value': { b: 1, a: [null] }, '@type': '@json' },
  ];
  expect((await stated({ '@id': 'urn:a', 'urn:p': values })).map((each) => (each as unknown[])[2])).toEqual([
    { value: 'x' },
    { value: 1 },
    { value: 1.5, type: xsd('double') },
    { value: 1e21, type: xsd('double') },
    { value: true },
    { value: 'x', language: 'de-ch' },
    { value: 'x', language: 'ar--rtl' },
    { value: '2026-01-31', type: xsd('date') },
    { value: '{"b":1,"a":[null]}', type: rdf('JSON') },
  ]);
});

test('nodes in nodes, lists, reverse and included are statements; labels of blank nodes are of the whole file', async () => {
  const document = [
    { '@id': '_:x', 'urn:knows': { 'urn:name': 'nested' } },
    { '@id': 'urn:a', '@reverse': { 'urn:of': { '@id': '_:x' } }, '@included': [{ '@id': 'urn:b', 'urn:p': 1 }] },
    { '@id': 'urn:c', 'urn:list': { '@list': [1, { '@id': 'urn:d' }] }, 'urn:none': { '@list': [] } },
  ];
  const blank = (label: string) => `urn:concord:blank:file:${label}`;
  const sorted = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
  const meantOnes = [
    [blank('.1'), 'urn:name', { value: 'nested' }],
    [blank('x'), 'urn:knows', blank('.1')],
    [blank('x'), 'urn:of', 'urn:a'],
    ['urn:b', 'urn:p', { value: 1 }],
    [blank('.2'), rdf('first'), { value: 1 }],
    [blank('.2'), rdf('rest'), blank('.3')],
    [blank('.3'), rdf('first'), 'urn:d'],
    [blank('.3'), rdf('rest'), rdf('nil')],
    ['urn:c', 'urn:list', blank('.2')],
    ['urn:c', 'urn:none', rdf('nil')],
  ];
  expect(sorted(await stated(document))).toEqual(sorted(meantOnes));
});

test('what no context defines is told and left out', async () => {
  const { statements, ignored } = await read([{ '@id': 'urn:a', name: 'x', 'urn:p': { '@id': 'urn:b', age: 1 } }]);
  expect([statements.length, ignored]).toEqual([1, ['name', 'age']]);
});

describe('contexts elsewhere', () => {
  const asking = [
    { '@id': 'urn:a', 'urn:p': 1 },
    { ...one, '@context': 'https://example.org/ctx' },
  ];

  test('are not fetched: the place and the way out are told', async () => {
    await expect(read(`\n${JSON.stringify(asking)}`)).rejects.toThrow(
      'line 2: asks for the context https://example.org/ctx, and nothing is fetched because a file says so: ' +
        '--context https://example.org/ctx=<file> gives it, or it stands in the file itself',
    );
    await expect(read({ ...one, '@context': { '@import': 'https://example.org/ctx' } })).rejects.toThrow('--context');
  });

  test('are given by hand', async () => {
    const { statements } = await read(asking, { contexts: [['https://example.org/ctx', { '@context': context }]] });
    expect(statements.map(({ predicate }) => predicate.id)).toEqual(['urn:p', 'urn:v:name']);
  });
});

describe('faults', () => {
  const good = '{"@id": "urn:a", "urn:p": 1}';
  test.each([
    ['a broken node', `[${good},\n{"@id":\n "urn:b", oops},\n${good}]`, 3, /JSON|property name/],
    ['a relative IRI', `[${good},\n\n{"@id": "a", "urn:p": 1},${good}]`, 3, "'a' is not an absolute IRI"],
    ['a relative class', `[${good},{"@id": "urn:a", "@type": "C"},${good}]`, 1, "'C' is not an absolute IRI"],
    ['what is no node', `[${good}, 7, ${good}]`, 1, 'a node is a JSON object'],
    ['a fault of the syntax', `[${good},\n{"@id": 7},${good}]`, 2, /invalid @id value/],
    ['half of a surrogate pair', `[${good},{"@id": "urn:\\ud800", "urn:p": 1},${good}]`, 1, /surrogate/],
    ['half of one in a label', `[${good},{"@id": "_:\\ud800", "urn:p": 1},${good}]`, 1, /surrogate/],
    ['a blank predicate', `[${good},{"@id": "urn:a", "_:p": 1},${good}]`, 1, /predicate is not RDF/],
    ['a direction alone', `[${good},{"urn:p": {"@value": "x", "@direction": "rtl"}},${good}]`, 1, /no language/],
  ])('%s is told by its line, and the others stand', async (_, text, line, reason) => {
    const { faults, statements } = await read(text);
    expect(faults).toEqual([expect.objectContaining({ line, reason: expect.stringMatching(reason) })]);
    expect(statements).toHaveLength(2);
  });

  test('bytes that are no UTF-8 are told', async () => {
    const bytes = Buffer.concat([Buffer.from(`[${good},\n{"@id": "urn:`), Buffer.of(0xff), Buffer.from('"}]')]);
    const { faults } = await patchesOf(bytes, 'jsonld');
    expect(faults.map(({ line, reason }) => [line, reason])).toEqual([[2, 'is not UTF-8']]);
  });

  test.each([
    ['nothing', '', 'line 1: here is no JSON'],
    ['a word', '\nnull', 'line 2: a JSON-LD document is an object or an array'],
    ['an end too early', `[${good},\n{`, 'line 2: the document ends in the middle'],
    ['two documents', `${good}\n${good}`, 'line 2: stands behind the end of the document'],
    ['the wrong bracket', `[${good}}`, 'line 1: a ] is missing'],
    ['depth', `[${'['.repeat(200)}`, 'line 1: has more than 100 arrays and objects in each other'],
    ['a second @graph', '{"@graph": [], "@graph": []}', 'line 1: a second @graph'],
    ['a fault beside the nodes', `{"@graph": [${good}],\n"@context": {oops}}`, 'line 2: '],
  ])('%s ends the reading', async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});

describe('more than memory should hold', () => {
  const filler = 'x'.repeat(1_000_000);
  const node = (id: string) => `{"@id": "${id}", "urn:p": "${filler}"}`;
  const nodes = Array.from({ length: 20 }, (_, index) => node(`urn:${index}`)).join(',\n');
  const piece = 65_536;

  test('the nodes of a large graph come one by one under what stands before them', async () => {
    const { statements, faults } = await read(`{"@context": {"@base": "urn:"}, "@id": "urn:g", "@graph": [${nodes}]}`, {
      piece,
    });
    expect([faults, statements.length, new Set(statements.map(({ graph }) => graph))]).toEqual([
      [],
      20,
      new Set(['urn:g']),
    ]);
  });

  test('what stands behind a large graph comes too late', async () => {
    await expect(read(`{"@graph": [${nodes}],\n"@context": {}}`, { piece })).rejects.toThrow(
      'line 21: in an object of this size, this has to stand before its "@graph"',
    );
    await expect(read(`{"urn:by": "me", "@graph": [${nodes}], "@id": "urn:g"}`, { piece })).rejects.toThrow(
      'line 1: a graph of this size of which something is said needs an "@id" before it',
    );
  });

  test('a node of 16 MiB is too long', async () => {
    const text = `[{"@id": "urn:a",\n"urn:p": "${filler.repeat(17)}"}]`;
    await expect(read(text, { piece })).rejects.toThrow('line 1: a node here is longer than 16777216 bytes');
    const member = `{"@id": "urn:a", ${Array.from({ length: 20 }, (_, at) => `"urn:${at}": "${filler}"`).join(',')}}`;
    await expect(read(member, { piece })).rejects.toThrow('longer than');
  });
});
