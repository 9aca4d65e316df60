import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Catalog } from '../../src/sources/catalog.ts';
import { inferredKeys } from '../../src/sources/inferKeys.ts';
import { pgliteSource } from '../../src/sources/pglite.ts';
import { openPostgres } from '../../src/sources/postgres.ts';
import { readCatalog } from '../../src/sources/readCatalog.ts';
import type { SelectLimits, Source } from '../../src/sources/source.ts';
import { rightsBeyondReading } from '../../src/sources/sql/rights.ts';
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
  await client.query(
    'CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA sales TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA sales TO reader',
  );
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

/** What only a server can do, which ends a statement by itself: PGlite takes none of others. */
async function selecting(
  work: (select: (sql: string, more?: Partial<SelectLimits>) => Promise<unknown>) => Promise<void>,
) {
  const source = sources.get('postgres');
  if (!source) return;
  const limits = { rows: 5, bytes: 100_000, timeoutMs: 5_000, signal };
  await work(async (sql, more) => source.select({ sql, values: [] }, { ...limits, ...more }));
}

test('an answer has the types of its columns, and its values as the database writes them', () =>
  selecting(async (select) => {
    const sql = `SELECT 1 AS a, 9007199254740993 AS b, 1.50 AS c, true AS d, date '2026-01-02' AS e, NULL AS f,
      ARRAY[1, 2] AS g, 'NaN'::float8 AS a`;
    expect(await select(sql)).toEqual({
      columns: [
        { name: 'a', type: 'integer' },
        { name: 'b', type: 'bigint' },
        { name: 'c', type: 'numeric' },
        { name: 'd', type: 'boolean' },
        { name: 'e', type: 'date' },
        { name: 'f', type: 'text' },
        { name: 'g', type: 'integer[]' },
        { name: 'a', type: 'double precision' },
      ],
      rows: [[1, '9007199254740993', '1.50', true, '2026-01-02', null, '{1,2}', 'NaN']],
      truncated: false,
    });
  }));

test('an answer is cut at the rows that are wanted, and says so', () =>
  selecting(async (select) => {
    const rows = [[1], [2], [3], [4], [5]];
    expect(await select('SELECT n FROM generate_series(1, 5) n')).toMatchObject({ rows, truncated: false });
    expect(await select('SELECT n FROM generate_series(1, 6) n')).toMatchObject({ rows, truncated: true });
    const all = await select('SELECT n FROM generate_series(1, 250) n', { rows: 250 });
    expect(all).toMatchObject({ rows: { length: 250 }, truncated: false });
  }));

test('what is too long, too slow, no longer wanted or of several statements ends, and the source goes on', () =>
  selecting(async (select) => {
    await expect(select("SELECT repeat('x', 10000000)")).rejects.toMatchObject({
      data: { reason: 'answer-too-large' },
    });
    await expect(select('SELECT pg_sleep(60)', { timeoutMs: 50 })).rejects.toMatchObject({ code: '57014' });
    const stopping = new AbortController();
    const stopped = select('SELECT pg_sleep(60)', { signal: stopping.signal });
    stopping.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    await expect(select('SELECT 1; COMMIT')).rejects.toMatchObject({ code: '42601' });
    await expect(select("SELECT nextval('public.seq')")).rejects.toMatchObject({ code: '42P01' });
    await expect(select('WITH x AS (DELETE FROM public.visits RETURNING 1) TABLE x')).rejects.toBeDefined();
    expect(await select('SELECT count(*)::int FROM public.visits')).toMatchObject({ rows: [[20]] });
  }));

test('a connection that the server ends ends what is asked over it, and nothing else', () =>
  selecting(async (select) => {
    const lost = expect(select('SELECT pg_sleep(60)')).rejects.toMatchObject({ code: '57P01' });
    const end = `SELECT count(pg_terminate_backend(pid))::int FROM pg_stat_activity
      WHERE application_name = 'concord' AND state = 'active' AND pid <> pg_backend_pid() AND query LIKE 'FETCH%'`;
    // Until it has begun there is nothing to end.
    for (let ended = 0; ended === 0; ) ended = ((await select(end)) as { rows: [[number]] }).rows[0][0];
    await lost;
    expect(await select('SELECT 1')).toMatchObject({ rows: [[1]] });
  }));

test('what a user may do beyond reading is told, and nothing of one that may only read', async () => {
  const superuser = sources.get('postgres');
  if (!superuser || !server) return;
  const all = ['is a superuser', 'may change tables', 'may create tables', "may use the server's files"];
  expect(await rightsBeyondReading(superuser)).toEqual(all);
  const reader = openPostgres(server.url.replace('tester@', 'reader@'));
  expect(await rightsBeyondReading(reader)).toEqual([]);
  await reader.close();
});
