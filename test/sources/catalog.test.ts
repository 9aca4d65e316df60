import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Catalog } from '../../src/sources/adapters/catalog.ts';
import { openMysql } from '../../src/sources/adapters/mysql.ts';
import { pgliteSource } from '../../src/sources/adapters/pglite.ts';
import { openPostgres } from '../../src/sources/adapters/postgres.ts';
import { readCatalog } from '../../src/sources/adapters/readCatalog.ts';
import type { SelectLimits, Source } from '../../src/sources/adapters/source.ts';
import { inferredKeys } from '../../src/sources/inferKeys.ts';
import { rightsBeyondReading } from '../../src/sources/sql/rights.ts';
import { askedOf } from './asking/bookshop.ts';
import { type MariadbServer, startMariadb } from './mariadbServer.ts';
import { mysqlShop } from './mysqlShop.ts';
import { type PostgresServer, startPostgres } from './postgresServer.ts';
import { shop } from './shop.ts';

/*
 * One suite for every adapter: PGlite, and a PostgreSQL and a MariaDB where they are installed.
 */
const { signal } = new AbortController();
const sources = new Map<string, Source>();
let server: PostgresServer | undefined;
let mariadb: MariadbServer | undefined;

beforeAll(async () => {
  const embedded = await PGlite.create();
  await embedded.exec(shop);
  sources.set(
    'pglite',
    pgliteSource(async () => embedded),
  );
  [server, mariadb] = await Promise.all([startPostgres(), startMariadb()]);
  await mariadb?.run(...mysqlShop);
  if (mariadb) sources.set('mariadb', openMysql(mariadb.url));
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
  await Promise.all([server?.close(), mariadb?.close()]);
});

/** What databases call the same things. */
const own = {
  postgresql: {
    ...{ int: 'integer', time: 'timestamp with time zone', primary: 'orders_pkey', unique: 'countries_name_key' },
    indexes: [
      'CREATE INDEX orders_by_customer ON sales.orders USING btree (customer_id)',
      'CREATE UNIQUE INDEX orders_pkey ON sales.orders USING btree (id)',
    ],
    ...{ writes: '25006', several: '42601', unknown: '42P01', given: '$1::int' },
  },
  mysql: {
    ...{ int: 'int(11)', time: 'timestamp', primary: 'PRIMARY', unique: 'name' },
    indexes: ['INDEX orders_by_customer (customer_id)', 'UNIQUE INDEX PRIMARY (id)'],
    ...{ writes: 'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION', several: 'ER_PARSE_ERROR', unknown: 'ER_NO_SUCH_TABLE' },
    given: '?',
  },
};
type Own = (typeof own)[keyof typeof own];

/** What holds of every adapter that is there. */
function testEach(says: string, holds: (source: Source, its: Own) => Promise<void>) {
  test(says, async () => {
    for (const source of sources.values()) if (source.dialect !== 'cypher') await holds(source, own[source.dialect]);
  });
}

const tableOf = ({ tables }: Catalog, name: string) => tables.find((each) => each.name === name);

testEach('tells tables, views, columns, types, comments, keys, indexes and estimates', async (source, its) => {
  const catalog = await readCatalog(source, signal);
  expect(catalog.tables.map(({ schema, name, kind }) => `${schema}.${name} ${kind}`).toSorted()).toEqual([
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
      { name: 'id', type: its.int, nullable: false },
      { name: 'customer_id', type: its.int, nullable: false },
      { name: 'placed_at', type: its.time, nullable: false, comment: 'UTC' },
    ],
    keys: [{ name: its.primary, isPrimary: true, columns: ['id'] }],
    indexes: [
      { name: 'orders_by_customer', definition: its.indexes[0] },
      { name: its.primary, definition: its.indexes[1] },
    ],
  });
  expect(tableOf(catalog, 'lines')?.keys).toEqual([
    { name: its.primary.replace('orders', 'lines'), isPrimary: true, columns: ['order_id', 'line'] },
  ]);
  expect(tableOf(catalog, 'countries')?.keys).toContainEqual({
    name: its.unique,
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

testEach('writes nothing, and takes one statement only', async (source, its) => {
  await expect(source.rows('DELETE FROM public.visits')).rejects.toMatchObject({ code: its.writes });
  await expect(source.rows('SELECT 1; SELECT 2')).rejects.toMatchObject({ code: its.several });
  await expect(source.rows('COMMIT; DELETE FROM public.visits')).rejects.toMatchObject({ code: its.several });
  const [row] = await source.rows<{ visits: unknown }>('SELECT count(*) AS visits FROM public.visits');
  expect(Number(row?.visits)).toBe(20);
});

testEach('goes on after a fault, and looks up no name outside of the catalogue', async (source, its) => {
  await expect(source.rows('SELECT * FROM visits')).rejects.toMatchObject({ code: its.unknown });
  expect(await source.rows(`SELECT ${its.given} AS given`, [7])).toEqual([{ given: 7 }]);
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

/** The same of a MariaDB. */
async function selectingOfMysql(work: (select: (sql: string, more?: object) => Promise<unknown>) => Promise<void>) {
  const source = sources.get('mariadb');
  if (!source) return;
  const limits = { rows: 5, bytes: 100_000, timeoutMs: 5_000, signal };
  await work(async (sql, more) => source.select({ sql, values: [] }, { ...limits, ...more }));
}

test("a MariaDB's answer has the types of its columns, and its values as it writes them", () =>
  selectingOfMysql(async (select) => {
    const sql = `SELECT 1 AS a, 9007199254740993 AS b, 1.50 AS c, DATE '2026-01-02' AS d, NULL AS e, 'x' AS a,
      x'00ff' AS f, 1.5e0 AS g, CAST('2026-01-02 03:04:05' AS datetime) AS h`;
    expect(await select(sql)).toEqual({
      columns: [
        ...[
          { name: 'a', type: 'int' },
          { name: 'b', type: 'bigint' },
          { name: 'c', type: 'decimal' },
          { name: 'd', type: 'date' },
        ],
        ...[
          { name: 'e', type: 'null' },
          { name: 'a', type: 'varchar' },
          { name: 'f', type: 'varbinary' },
          { name: 'g', type: 'double' },
          { name: 'h', type: 'datetime' },
        ],
      ],
      rows: [[1, '9007199254740993', '1.50', '2026-01-02', null, 'x', '0x00ff', 1.5, '2026-01-02 03:04:05']],
      truncated: false,
    });
  }));

test('a MariaDB ends what is too long, too slow or no longer wanted, cuts at the rows wanted, and goes on', () =>
  selectingOfMysql(async (select) => {
    const rows = [[1], [2], [3], [4], [5]];
    expect(await select('SELECT seq FROM shop.seq_1_to_5')).toMatchObject({ rows, truncated: false });
    expect(await select('SELECT seq FROM shop.seq_1_to_6')).toMatchObject({ rows, truncated: true });
    expect(await select('SELECT seq FROM shop.seq_1_to_900 LIMIT 800')).toMatchObject({ rows, truncated: true });
    await expect(select("SELECT repeat('x', 1000000)")).rejects.toMatchObject({ data: { reason: 'answer-too-large' } });
    await expect(select('SELECT sleep(60)', { timeoutMs: 50 })).rejects.toMatchObject({ errno: 1969 });
    const stopping = new AbortController();
    const stopped = select('SELECT sleep(60)', { signal: stopping.signal });
    stopping.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    await expect(select('DELETE FROM `public`.visits')).rejects.toMatchObject({ errno: 1792 });
    expect(await select('SELECT count(*) FROM `public`.visits')).toMatchObject({ rows: [[20]] });
  }));

test('what a user of a MariaDB may do beyond reading is told, and nothing of one that may only read', async () => {
  if (!mariadb) return;
  const everything = sources.get('mariadb');
  const all = ['may change tables', 'may create tables', 'may do more than read', "may use the server's files"];
  if (everything) expect(await rightsBeyondReading(everything)).toEqual(all);
  await mariadb.run("CREATE USER reader@'127.0.0.1'", "GRANT SELECT ON sales.* TO reader@'127.0.0.1'");
  const reader = openMysql(mariadb.url.replace('tester:secret@', 'reader@').replace(/shop$/, 'sales'));
  expect(await rightsBeyondReading(reader)).toEqual([]);
  await mariadb.run("GRANT UPDATE (line) ON sales.`lines` TO reader@'127.0.0.1'");
  expect(await rightsBeyondReading(reader)).toEqual(['may change tables']);
  await reader.close();
});

test('a MariaDB is asked in words by its own SQL, which its check takes', async () => {
  const source = sources.get('mariadb');
  if (!source) return;
  const { answered } = await askedOf(source);
  expect((await answered('How many customers are in Switzerland?')).table?.rows).toEqual([[20]]);
  const { statement, table } = await answered('custmers in Swizerland');
  expect(statement?.sql).not.toContain('Switzerland');
  expect(table?.rows).toHaveLength(20);
  expect((await answered('What is the name of customer 7?')).table?.rows).toEqual([[7, 'Customer 7']]);
  expect((await answered('number of customers per country')).table?.rows).toEqual([['Switzerland', 20]]);
});
