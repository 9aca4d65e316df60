import { expect, test } from '@jest/globals';
import type { Catalog } from '../../src/sources/adapters/catalog.ts';
import { CatalogStatements } from '../../src/sources/catalogStatements.ts';
import { candidatesIn } from '../../src/sources/inferKeys.ts';
import { plainText } from '../../src/sources/plainText.ts';
import { schemaPatches } from '../../src/sources/schemaPatches.ts';
import { partIri } from '../../src/sources/terms.ts';

function tableOf(name: string, columns: Record<string, string>, more: object = {}): Catalog['tables'][number] {
  return {
    ...{ schema: 'public', name, kind: 'table', keys: [], indexes: [] },
    columns: Object.entries(columns).map(([each, type]) => ({ name: each, type, nullable: true })),
    ...more,
  } as Catalog['tables'][number];
}

const keyed = (name: string, columns: Record<string, string>, schema = 'public') =>
  tableOf(name, columns, {
    schema,
    keys: [{ name: `${name}_pkey`, isPrimary: true, columns: [Object.keys(columns)[0]] }],
  });

const said = (catalog: Catalog) => new CatalogStatements('shop', 'postgresql', catalog);

const stated = (tables: Catalog['tables'], subject: string, predicate: string) =>
  said({ tables, foreignKeys: [] })
    .statements.filter((each) => each.subject.id === subject && each.predicate.id.endsWith(`#${predicate}`))
    .map(({ object }) => ('id' in object ? object.id : object.value));

test('no name of a foreign database makes the IRI of another part', () => {
  expect(partIri('shop', ['a/b', 'c'])).toBe('urn:concord:source:shop/a%2Fb/c');
  expect(partIri('shop', ['a', 'b', ':key', 'd'])).not.toBe(partIri('shop', ['a', 'b', 'd'], 'key'));
  expect(partIri('shop', ['half \ud800 a pair'])).toBe('urn:concord:source:shop/half%20%EF%BF%BD%20a%20pair');
});

test('a comment is one line without control characters, of a bounded length, and well formed', () => {
  expect(plainText('Ignore\n all\u001b[31m rules\u202e', 100)).toBe('Ignore  all [31m rules');
  expect(plainText('1234567', 5)).toBe('1234…');
  expect(plainText('123😀567', 5)).toBe('123…');
  expect(
    stated([tableOf('t', {}, { comment: 'x'.repeat(5_000) })], partIri('shop', ['public', 't']), 'comment'),
  ).toEqual([`${'x'.repeat(1_999)}…`]);
});

test('parts whose names are too long for an identifier are left out and counted', () => {
  const { leftOut, statements } = said({ tables: [tableOf('x'.repeat(2_100), { id: 'int' })], foreignKeys: [] });
  expect(leftOut).toBe(2);
  expect(statements.every(({ subject }) => subject.id.length <= 2_048)).toBe(true);
});

test('an estimate of rows that moves a little is no change', () => {
  const of = (rows: number) => stated([tableOf('t', {}, { rows })], partIri('shop', ['public', 't']), 'rowEstimate');
  expect([of(0), of(104_123), of(99_812), of(99_400)]).toEqual([[0], [100_000], [100_000], [99_000]]);
});

test('only what differs becomes patches, that of one part together, and what is taken back first', () => {
  const of = (catalog: Partial<Catalog>) => said({ tables: [], foreignKeys: [], ...catalog }).statements;
  const before = of({ tables: [tableOf('a', { x: 'int' }), tableOf('b', { y: 'int' })] });
  expect(schemaPatches(before, before)).toEqual([]);
  const after = of({ tables: [tableOf('a', { x: 'bigint' }), tableOf('b', { y: 'int' })] });
  expect(schemaPatches(before, after).map(({ op, statement }) => [op, statement.subject.id, statement.object])).toEqual(
    [
      ['remove', 'urn:concord:source:shop/public/a/x', { value: 'int' }],
      ['add', 'urn:concord:source:shop/public/a/x', { value: 'bigint' }],
    ],
  );
});

test('another certainty is a change', () => {
  const key = {
    from: { schema: 'public', table: 'a', columns: ['b_id'] },
    to: { schema: 'public', table: 'b', columns: ['id'] },
  };
  const of = (certainty: number) => said({ tables: [], foreignKeys: [{ ...key, certainty }] }).statements;
  const patches = schemaPatches(of(0.5), of(0.9));
  expect(patches.map(({ op, statement }) => [op, statement.certainty])).toEqual(Array(7).fill(['add', 0.9]));
});

test('foreign keys are inferred by the name of a table in one or many, or by that of its key, of the same type', () => {
  const tables = [
    keyed('cities', { id: 'int' }),
    keyed('boxes', { box_no: 'text' }),
    tableOf('trips', { city_id: 'int', CityID: 'bigint', box_no: 'text', id: 'int' }),
  ];
  const found = candidatesIn({ tables, foreignKeys: [] });
  expect(found.map(({ from, to, certainty }) => [from.columns[0], to.table, certainty])).toEqual([
    ['city_id', 'cities', 0.5],
    ['box_no', 'boxes', 0.5],
  ]);
});

test('of tables that are called alike that of the same schema is meant, and of others none', () => {
  const tables = [
    keyed('users', { id: 'int' }, 'a'),
    keyed('users', { id: 'int' }, 'b'),
    tableOf('posts', { user_id: 'int' }, { schema: 'b' }),
    tableOf('notes', { user_id: 'int' }, { schema: 'c' }),
  ];
  const found = candidatesIn({ tables, foreignKeys: [] });
  expect(found.map(({ from, to }) => [from.table, to.schema])).toEqual([['posts', 'b']]);
});

test('nothing is inferred of a column that has a foreign key', () => {
  const tables = [keyed('users', { id: 'int' }), tableOf('posts', { user_id: 'int' })];
  const declared = {
    name: 'posts_fkey',
    from: { schema: 'public', table: 'posts', columns: ['user_id'] },
    to: { schema: 'public', table: 'users', columns: ['id'] },
  };
  expect(candidatesIn({ tables, foreignKeys: [declared] })).toEqual([]);
});
