import { expect, test } from '@jest/globals';
import type { Catalog, ForeignKey } from '../../src/sources/adapters/catalog.ts';
import { CatalogStatements } from '../../src/sources/catalogStatements.ts';
import { joinPath } from '../../src/sources/joinPath.ts';
import { schemaOf } from '../../src/sources/schema.ts';
import { schemaLike } from '../../src/sources/schemaSearch.ts';

const tables: Record<string, string[]> = {
  customers: ['id', 'full_name', 'countryCode'],
  countries: ['code', 'name'],
  orders: ['id', 'customer_id', 'placed_at'],
  order_lines: ['order_id', 'line', 'amount'],
  invoices: ['id', 'customer_id'],
  weather: ['day', 'degrees'],
};
const end = (table: string, ...columns: string[]) => ({ schema: 'sales', table, columns });
const key = (from: ForeignKey['from'], to: ForeignKey['to'], certainty?: number): ForeignKey => ({
  ...{ from, to },
  ...(certainty === undefined ? { name: `${from.table}_${from.columns.join('_')}_fkey` } : { certainty }),
});
const catalog: Catalog = {
  tables: Object.entries(tables).map(([name, columns]) => ({
    ...{ schema: 'sales', name, kind: 'table', keys: [], indexes: [] },
    ...(name === 'weather' && { comment: 'What a customer may look at' }),
    columns: columns.map((each) => ({ name: each, type: 'text', nullable: each !== 'id' })),
  })),
  foreignKeys: [
    key(end('customers', 'countryCode'), end('countries', 'code')),
    key(end('orders', 'customer_id'), end('customers', 'id'), 0.9),
    key(end('order_lines', 'order_id'), end('orders', 'id')),
    key(end('invoices', 'customer_id'), end('customers', 'id'), 0.5),
  ],
};
const schemaWith = (more: ForeignKey[] = []) => {
  const described = { ...catalog, foreignKeys: [...catalog.foreignKeys, ...more] };
  return schemaOf(new CatalogStatements('shop', 'postgresql', described).statements);
};
const schema = schemaWith();
const idOf = (name: string) => `urn:concord:source:shop/sales/${name}`;
const way = (from: string, to: string, of = schema) =>
  joinPath(of, idOf(from), idOf(to))?.map((each) => [each.from.table, each.to.table].map((id) => id.split('/').at(-1)));

test('statements of a schema make the same tables, columns in their order and keys again', () => {
  expect(schema.tables.map(({ name }) => name)).toEqual(Object.keys(tables).map((name) => `sales.${name}`));
  expect(schema.tables[0]?.columns.map(({ name, required }) => [name, required])).toEqual([
    ['id', true],
    ['full_name', false],
    ['countryCode', false],
  ]);
  expect(schema.joins.map(({ declared, certainty }) => [declared, certainty])).toEqual([
    [true, 1],
    [false, 0.9],
    [true, 1],
    [false, 0.5],
  ]);
});

test.each([
  ['custmers', ['sales.customers']],
  ['order lines', ['sales.order_lines', 'sales.orders']],
  ['Countrys', ['sales.countries']],
])('tables are found by words, misspelt too: %s', (text, expected) => {
  expect(
    schemaLike(schema, text, 2)
      .tables.map(({ name }) => name)
      .slice(0, expected.length),
  ).toEqual(expected);
});

test('a name counts more than a comment, and nothing is found by a word that nothing is like', () => {
  const found = schemaLike(schema, 'customer', 5).tables.map(({ name }) => name);
  expect(found).toEqual(['sales.customers', 'sales.weather']);
  expect(schemaLike(schema, 'zebra', 5)).toEqual({ tables: [], columns: [] });
});

test('columns are found by their words and by those of their table', () => {
  const [first] = schemaLike(schema, 'customer country code', 5).columns;
  expect([first?.table.name, first?.column.name]).toEqual(['sales.customers', 'countryCode']);
});

test('the shortest way over foreign keys is told in its order, either way round', () => {
  expect(way('order_lines', 'countries')).toEqual([
    ['order_lines', 'orders'],
    ['orders', 'customers'],
    ['customers', 'countries'],
  ]);
  expect(way('countries', 'orders')).toEqual([
    ['customers', 'countries'],
    ['orders', 'customers'],
  ]);
  expect(way('orders', 'orders')).toEqual([]);
  expect(way('orders', 'weather')).toBeUndefined();
});

test('of ways as short the surest is told, and a shorter one before a surer', () => {
  const through = key(end('order_lines', 'line'), end('invoices', 'id'), 0.5);
  expect(way('order_lines', 'customers', schemaWith([through]))).toEqual([
    ['order_lines', 'orders'],
    ['orders', 'customers'],
  ]);
  const shortcut = key(end('order_lines', 'amount'), end('customers', 'id'), 0.1);
  expect(way('order_lines', 'customers', schemaWith([through, shortcut]))).toEqual([['order_lines', 'customers']]);
});

test('a ring of keys and a key of a table to itself end', () => {
  const ring = schemaWith([
    key(end('countries', 'name'), end('order_lines', 'line')),
    key(end('countries', 'code'), end('countries', 'name')),
  ]);
  expect(way('countries', 'weather', ring)).toBeUndefined();
});
