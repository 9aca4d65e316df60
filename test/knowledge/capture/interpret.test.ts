import { expect, test } from '@jest/globals';
import type { Edit, NodeEdit, RelationshipEdit } from '../../../src/graph/capture/edit.ts';
import { interpret, type Reading } from '../../../src/knowledge/capture/interpret.ts';
import type { LiteralField } from '../../../src/vocabulary/vocabulary.ts';

const field = (name: string, more: Partial<LiteralField>): LiteralField => ({
  kind: 'literal',
  name,
  predicate: `urn:${name}`,
  scalar: 'String',
  list: false,
  indexed: false,
  functional: false,
  certainty: 'LATEST',
  ...more,
});
const reading: Reading = {
  predicates: new Map([['CAPITAL', 'urn:capital']]),
  classes: new Map([['Country', 'urn:Country']]),
  fields: new Map([
    ['name', field('name', {})],
    ['names', field('names', { list: true })],
    ['since', field('since', { scalar: 'Date' })],
  ]),
  base: 'urn:base/',
  current: (_, predicate) =>
    predicate === 'urn:name'
      ? [
          {
            subject: { id: 'urn:a', type: 'urn:Country' },
            predicate: { id: predicate },
            object: { value: 'old', type: 'urn:text', language: 'en' },
            graph: 'urn:g',
            certainty: 0.5,
          },
          {
            subject: { id: 'urn:a' },
            predicate: { id: predicate },
            object: { value: 'alt', type: 'urn:text', language: 'de' },
          },
        ]
      : [{ subject: { id: 'urn:a' }, predicate: { id: predicate }, object: { value: 'one', type: 'urn:text' } }],
};
const at = Date.UTC(2026, 0, 2);
const common = { number: 1, transaction: 't', user: 'ann', at, element: 'e' };
const edge = (more: Partial<RelationshipEdit>): Edit => ({
  ...common,
  kind: 'relationship',
  op: 'changed',
  type: 'CAPITAL',
  start: { kind: 'entity', id: 'urn:a', type: 'urn:Country' },
  end: { kind: 'entity', id: 'urn:b' },
  ...more,
});
const node = (before: object | undefined, after: object | undefined, more: Partial<NodeEdit> = {}): Edit => ({
  ...common,
  kind: 'node',
  op: 'changed',
  labelsBefore: ['Entity', 'Country'],
  labelsAfter: ['Entity', 'Country'],
  ...(before && { before: { id: 'urn:a', ...before } }),
  ...(after && { after: { id: 'urn:a', ...after } }),
  ...more,
});
const said = (edit: Edit) =>
  interpret(edit, reading).patches.map(({ op, statement: { object, graph } }) => [
    op,
    'id' in object ? object.id : object.value,
    ...(graph === undefined ? [] : [graph]),
  ]);

test('a statement carries who edited it, when, and what they say of it', () => {
  const after = { certainty: 0.5, provenance: '{"note":"seen"}', graph: 'urn:g' };
  expect(interpret(edge({ op: 'created', after, client: 'browser' }), reading)).toEqual({
    patches: [
      {
        op: 'add',
        statement: {
          subject: { id: 'urn:a', type: 'urn:Country' },
          predicate: { id: 'urn:capital' },
          object: { id: 'urn:b' },
          graph: 'urn:g',
          certainty: 0.5,
          provenance: {
            source: 'Neo4j, edited by hand',
            user: 'ann',
            client: 'browser',
            timestamp: '2026-01-02T00:00:00.000Z',
            note: 'seen',
          },
        },
      },
    ],
    faults: [],
    restored: [],
  });
});

test("the provenance of the agent that stated it before is not the editor's", () => {
  const before = { provenance: '{"note":"theirs"}' };
  const { patches } = interpret(edge({ before, after: { ...before, certainty: 0.9 } }), reading);
  expect(patches[0]?.statement.provenance).not.toHaveProperty('note');
});

test('what is deleted is taken back for others too where the editor has a voice in it', () => {
  expect(said(edge({ op: 'deleted', before: { sources: ['x', 'direct:ann'] } }))).toEqual([
    ['remove', 'urn:b'],
    ['remove', 'urn:b'],
  ]);
  expect(said(edge({ op: 'deleted', before: { sources: ['x', 'y'] } }))).toEqual([['remove', 'urn:b']]);
});

test('another graph is another statement', () => {
  expect(said(edge({ before: { graph: 'urn:g' }, after: {} }))).toEqual([
    ['remove', 'urn:b', 'urn:g'],
    ['add', 'urn:b'],
  ]);
});

test.each([
  ['a certainty in words', edge({ before: {}, after: { certainty: 'high' } }), /CAPITAL \{certainty\} is not a number/],
  ['a provenance that is no JSON', edge({ before: {}, after: { provenance: 'me' } }), /no JSON text/],
  ['a time that is none', edge({ before: {}, after: { observedAt: 'soon' } }), /ISO 8601/],
  ['an end that is no entity', edge({ op: 'created', after: {}, end: undefined }), /does not join/],
  ['another class', node({}, {}, { labelsAfter: ['Entity', 'City'] }), /stays of its class/],
  ['an entity without an id', node(undefined, { id: 7 }, { op: 'created' }), /has no id/],
])('%s is no statement', (_, edit, reason) => {
  const { patches, faults } = interpret(edit, reading);
  expect([patches, faults]).toEqual([[], [expect.stringMatching(reason)]]);
});

test('a type without a predicate is proposed by the name that the vocabulary would give it', () => {
  const { patches, faults } = interpret(edge({ op: 'created', after: {}, type: 'WORKS_FOR' }), reading);
  expect(patches.map(({ statement }) => statement.predicate.id)).toEqual(['urn:base/worksFor']);
  expect(faults).toEqual(['no predicate is known for the relationship type WORKS_FOR']);
});

test('what only Concord writes is told by its name', () => {
  expect(interpret(edge({ before: { revision: 1 }, after: {} }), reading)).toMatchObject({
    patches: [],
    restored: ['CAPITAL {revision}'],
  });
  expect(interpret(node({ type: 'x' }, { type: 'y' }), reading)).toMatchObject({
    patches: [],
    restored: [':Entity:Country {type}'],
  });
  expect(interpret(edge({ type: 'PAST', op: 'changed', before: {}, after: { a: 1 } }), reading).restored).toEqual([
    'history (PAST)',
  ]);
});

test('a value takes the place of the one that it was, in its graph and language; others stay', () => {
  const { patches } = interpret(node({ name: 'old' }, { name: 'new' }), reading);
  expect(patches.map(({ op }) => op)).toEqual(['remove', 'remove', 'add']);
  expect(patches.at(-1)?.statement).toMatchObject({ object: { value: 'new', language: 'en' }, graph: 'urn:g' });
  expect(patches[0]?.statement).not.toHaveProperty('certainty');
});

test('an empty field has no statement left, in whatever graph and language', () => {
  expect(said(node({ name: 'old' }, {}))).toEqual([
    ['remove', 'old', 'urn:g'],
    ['remove', 'old', 'urn:g'],
    ['remove', 'alt'],
    ['remove', 'alt'],
  ]);
});

test('a list is compared value by value', () => {
  expect(said(node({ names: ['one', 'two'] }, { names: ['two', 'three'] }))).toEqual([
    ['remove', 'one'],
    ['remove', 'one'],
    ['add', 'three'],
  ]);
});

test('a node is an entity of the class of its label, with a statement for each field', () => {
  const { patches } = interpret(
    node(undefined, { name: 'x', since: '2020-01-01', note: 'mine' }, { op: 'created' }),
    reading,
  );
  expect(patches.map(({ statement: { subject, object } }) => [subject, object])).toEqual([
    [{ id: 'urn:a', type: 'urn:Country' }, expect.objectContaining({ value: 'x' })],
    [
      { id: 'urn:a', type: 'urn:Country' },
      { value: '2020-01-01', type: 'http://www.w3.org/2001/XMLSchema#date' },
    ],
  ]);
});

test('another kind of value in a literal has a datatype of its own', () => {
  const literal = node(
    { value: 'many', datatype: 'urn:text' },
    { value: 5, datatype: 'urn:text' },
    {
      labelsBefore: ['Literal'],
      labelsAfter: ['Literal'],
      statement: { type: 'CAPITAL', properties: {}, start: { kind: 'entity', id: 'urn:a' } },
    },
  );
  expect(interpret(literal, reading).patches.map(({ op, statement }) => [op, statement.object])).toEqual([
    ['remove', { value: 'many', type: 'urn:text' }],
    ['add', { value: 5, type: 'http://www.w3.org/2001/XMLSchema#integer' }],
  ]);
});
