import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Catalog } from '../../src/sources/catalog.ts';
import { inferredKeys } from '../../src/sources/inferKeys.ts';
import { pgliteSource } from '../../src/sources/pglite.ts';
import { openPostgres } from '../../src/sources/postgres.ts';
import { readCatalog } from '../../src/sources/readCatalog.ts';
import type { Source } from '../../src/sources/source.ts';
import { type PostgresServer, startPostgres } from './postgresServer.ts';
import { shop } from './shop.ts';

/*
 * One suite for every adapter of PostgreSQL's dialect: PGlite, and a PostgreSQL where one is installed.
 */
const { signal } = new AbortController();
const sources = new Map<string, Source>();
let server: PostgresServer | undefined;

beforeAll(async () => {
  const embedded = await PGlite.create();
  await embedded.exec(shop);
  sources.set(
    'pglite',
    pgliteSource(async () => embedded),
  );
  server = await startPostgres();
  if (!server) return;
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(shop);
  await client.end();
  sources.set('postgres', openPostgres(server.url));
});
afterAll(async () => {
  for (const each of sources.values()) await each.close();
  await server?.close();
});

/** What holds of every adapter that is there. */
function testEach(says: string, holds: (source: Source) => Promise<void>) {
  test(says, async () => {
    for (const source of sources.values()) await holds(source);
  });
}

const tableOf = ({ tables }: Catalog, name: string) => tables.find((each) => each.name === name);

testEach('tells tables, views, columns, types, comments, keys, indexes and estimates', async (source) => {
  const catalog = await readCatalog(source, signal);
  expect(catalog.tables.map(({ schema, name, kind }) => `${schema}.${name} ${kind}`)).toEqual([
    'public.countries table',
    'public.customers table',
    'public.odd/name:key table',
    'public.visits table',
    'sales.lines table',
    'sales.orders table',
    'sales.returns table',
    'sales.totals view',
  ]);
  expect(tableOf(catalog, 'orders')).toEqual({
    schema: 'sales',
    name: 'orders',
    kind: 'table',
    rows: 20,
    columns: [
      { name: 'id', type: 'integer', nullable: false },
      { name: 'customer_id', type: 'integer', nullable: false },
      { name: 'placed_at', type: 'timestamp with time zone', nullable: false, comment: 'UTC' },
    ],
    keys: [{ name: 'orders_pkey', isPrimary: true, columns: ['id'] }],
    indexes: [
      {
        name: 'orders_by_customer',
        definition: 'CREATE INDEX orders_by_customer ON sales.orders USING btree (customer_id)',
      },
      { name: 'orders_pkey', definition: 'CREATE UNIQUE INDEX orders_pkey ON sales.orders USING btree (id)' },
    ],
  });
  expect(tableOf(catalog, 'lines')?.keys).toEqual([
    { name: 'lines_pkey', isPrimary: true, columns: ['order_id', 'line'] },
  ]);
  expect(tableOf(catalog, 'countries')?.keys).toContainEqual({
    name: 'countries_name_key',
    isPrimary: false,
    columns: ['name'],
  });
});

testEach('tells the foreign keys that are declared, with all of their columns', async (source) => {
  const { foreignKeys } = await readCatalog(source, signal);
  expect(foreignKeys).toHaveLength(3);
  expect(foreignKeys).toContainEqual({
    name: 'returns_order_id_line_fkey',
    from: { schema: 'sales', table: 'returns', columns: ['order_id', 'line'] },
    to: { schema: 'sales', table: 'lines', columns: ['order_id', 'line'] },
  });
});

testEach('infers a foreign key by name, type and values, and none where a value is no key', async (source) => {
  const inferred = await inferredKeys(source, await readCatalog(source, signal), signal);
  // Ten of the visits are of customers that there are not.
  expect(inferred).toEqual([
    {
      from: { schema: 'sales', table: 'orders', columns: ['customer_id'] },
      to: { schema: 'public', table: 'customers', columns: ['id'] },
      certainty: 0.9,
      grounds: 'name, type and values',
    },
  ]);
});

testEach('writes nothing, and takes one statement only', async (source) => {
  await expect(source.rows('DELETE FROM public.visits')).rejects.toMatchObject({ code: '25006' });
  await expect(source.rows('SELECT 1; SELECT 2')).rejects.toMatchObject({ code: '42601' });
  await expect(source.rows('COMMIT; DELETE FROM public.visits')).rejects.toMatchObject({ code: '42601' });
  expect(await source.rows('SELECT count(*)::int AS visits FROM public.visits')).toEqual([{ visits: 20 }]);
});

testEach('goes on after a fault, and looks up no name outside of the catalogue', async (source) => {
  await expect(source.rows('SELECT * FROM visits')).rejects.toMatchObject({ code: '42P01' });
  expect(await source.rows('SELECT $1::int AS given', [7])).toEqual([{ given: 7 }]);
});
