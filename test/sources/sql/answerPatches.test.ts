import { expect, test } from '@jest/globals';
import type { Cell } from '../../../src/sources/adapters/source.ts';
import { answerPatches, mapping } from '../../../src/sources/sql/answerPatches.ts';

const names = ['id', 'name', 'born', 'seen', 'height', 'friend'];
const types = ['integer', 'text', 'date', 'timestamp with time zone', 'numeric', 'text'];
const columns = names.map((name, index) => ({ name, type: types[index] ?? '' }));
const provenance = { source: 'urn:concord:source:shop' };
const subject = { column: 'id', prefix: 'urn:person:', type: 'urn:t:Person' };

function patchesOf(row: Cell[], predicates: Record<string, object>, more: object = {}) {
  const asked = mapping.parse({ subject, predicates, ...more });
  return answerPatches({ columns, rows: [row] }, asked, provenance);
}

const objectOf = (column: string, cell: Cell, more: object = {}) => {
  const row = names.map((name) => (name === 'id' ? 7 : name === column ? cell : null));
  return patchesOf(row, { [column]: { id: `urn:p:${column}`, ...more } }).mutations[0]?.statement.object;
};

test('each value of a row is a statement about the entity that its row is of, with graph, certainty and provenance', () => {
  const { mutations, leftOut } = patchesOf(
    [7, 'Ann', null, null, null, null],
    { name: { id: 'urn:p:name' }, born: { id: 'urn:p:born' } },
    { op: 'replace', graph: 'urn:g', certainty: 0.8 },
  );
  expect(leftOut).toBe(0);
  // Nothing stands in the column of the day: that is no statement.
  expect(mutations).toEqual([
    {
      op: 'replace',
      statement: {
        subject: { id: 'urn:person:7', type: 'urn:t:Person' },
        predicate: { id: 'urn:p:name' },
        object: { value: 'Ann' },
        graph: 'urn:g',
        certainty: 0.8,
        provenance,
      },
    },
  ]);
});

test('values have the datatypes of their columns', () => {
  expect(objectOf('born', '2026-01-02')).toEqual({ value: '2026-01-02', type: 'xsd:date' });
  expect(objectOf('seen', '2026-01-02 03:04:05.5+00')).toEqual({
    value: '2026-01-02T03:04:05.5+00:00',
    type: 'xsd:dateTime',
  });
  expect(objectOf('seen', 'infinity')).toEqual({ value: 'infinity' });
  expect(objectOf('height', '1.50')).toEqual({ value: 1.5 });
  expect(objectOf('height', '12345678901234567.89')).toEqual({ value: '12345678901234567.89', type: 'xsd:decimal' });
  expect(objectOf('height', 'NaN')).toEqual({ value: 'NaN' });
});

test('a value with a prefix is another entity, and no value makes another identifier than its own', () => {
  const friend = { prefix: 'urn:person:', type: 'urn:t:Person' };
  expect(objectOf('friend', 'a/b?c', friend)).toEqual({ id: 'urn:person:a%2Fb%3Fc', type: 'urn:t:Person' });
  expect(() => objectOf('friend', 'x'.repeat(3_000), friend)).toThrow('more than 2048 characters');
});

test('a row without its subject is left out and counted, and a column that there is not is told', () => {
  expect(patchesOf([null, 'Ann', null, null, null, null], { name: { id: 'urn:p:name' } })).toEqual({
    mutations: [],
    leftOut: 1,
  });
  expect(() => patchesOf([7], { nam: { id: 'urn:p:name' } })).toThrow("no column 'nam'");
});
