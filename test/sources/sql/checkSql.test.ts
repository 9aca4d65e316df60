import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { faultOfSql } from '../../../src/sources/sql/checkSql.ts';

const harmless = [
  'SELECT 1',
  "SELECT name, count(*)::int AS orders FROM sales.orders JOIN sales.customers c USING (id) WHERE c.name LIKE 'A%' GROUP BY 1",
  'WITH big AS (SELECT * FROM sales.orders WHERE amount > 100) SELECT avg(amount) FROM big ORDER BY 1 DESC LIMIT 3;',
  'SELECT rank() OVER (PARTITION BY a ORDER BY b), extract(year FROM d), trim(x), substring(a FROM 1 FOR 2) FROM s.t',
  "SELECT CASE WHEN a IS NULL THEN 'none' ELSE upper(a) END, coalesce(b, 0), now(), date '2026-01-01' FROM s.t -- why",
  "SELECT id FROM s.t WHERE EXISTS (SELECT 1 FROM s.u WHERE u.id = t.id) AND note = 'DROP TABLE x; --' UNION VALUES (1)",
  'SELECT $$pg_read_file$$ AS text FROM s."pg_sleep"',
];

/** Each does what no question may do, and stands alone or inside of another statement. */
const statements = [
  'DELETE FROM sales.orders',
  'INSERT INTO sales.orders VALUES (1)',
  'UPDATE sales.orders SET id = 1',
  'MERGE INTO s.t USING s.u ON true WHEN MATCHED THEN DELETE',
  'TRUNCATE sales.orders',
  'DROP TABLE sales.orders',
  'CREATE TABLE s.x AS SELECT 1',
  'SELECT 1 INTO s.x',
  'SELECT * FROM s.t FOR UPDATE',
  "COPY s.t TO '/tmp/x'",
  "COPY s.t FROM PROGRAM 'id'",
  'DO $$ BEGIN DELETE FROM s.t; END $$',
  "CALL s.f('x')",
  'SET default_transaction_read_only = off',
  'RESET ALL',
  'COMMIT',
  'BEGIN',
  'SAVEPOINT x',
  'LOCK s.t',
  "NOTIFY x, 'y'",
  'LISTEN x',
  'PREPARE p AS SELECT 1',
  'EXECUTE p',
  'DECLARE c CURSOR FOR SELECT 1',
  'EXPLAIN ANALYZE DELETE FROM s.t',
  'VACUUM',
  'GRANT ALL ON s.t TO public',
  "ALTER SYSTEM SET x = 'y'",
  "LOAD 'x'",
  'WITH gone AS (DELETE FROM s.t RETURNING *) SELECT * FROM gone',
  'WITH new AS (INSERT INTO s.t VALUES (1) RETURNING *) TABLE new',
  'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT * FROM r',
];
const values = [
  'pg_sleep(60)',
  '"pg_sleep"(60)',
  'pg_catalog.pg_sleep(60)',
  '(60::float8).pg_sleep',
  "pg_read_file('/etc/passwd')",
  "pg_ls_dir('.')",
  "lo_import('/etc/passwd')",
  "set_config('transaction_read_only', 'off', false)",
  "current_setting('data_directory')",
  "dblink('host=x', 'DELETE FROM t')",
  "query_to_xml('DELETE FROM s.t', true, true, '')",
  "nextval('s.q')",
  'pg_advisory_lock(1)',
  'pg_terminate_backend(1)',
  "pg_notify('x', 'y')",
  'sales.lower(1)',
  "repeat('x', 1000000000)",
  'current_user',
  'session_user',
  'version()',
  "'pg_authid'::regclass",
  '1 OPERATOR(sales.+) 1',
  '$1',
];
const relations = [
  'pg_authid',
  'pg_catalog.pg_authid',
  'PG_STAT_ACTIVITY',
  'information_schema.tables',
  'generate_series(1, 1000000000)',
  "pg_ls_dir('.') x",
  'other.sales.orders',
  's.t TABLESAMPLE system(1)',
  'ROWS FROM (pg_sleep(1)) x',
  "XMLTABLE('/x' PASSING '<x/>' COLUMNS a text)",
];

const hostile = fc.oneof(
  fc.constantFrom(...statements),
  fc
    .constantFrom(...values)
    .chain((value) =>
      fc.constantFrom(
        `SELECT ${value}`,
        `SELECT 1 WHERE ${value} IS NOT NULL`,
        `SELECT (SELECT max(x) FROM (SELECT ${value} AS x) y)`,
        `WITH a AS (SELECT ${value}) SELECT * FROM a`,
        `SELECT a FROM s.t ORDER BY ${value}`,
        `SELECT count(*) FILTER (WHERE ${value} IS NULL) FROM s.t`,
        `SELECT 1 LIMIT (SELECT 1 WHERE ${value} IS NOT NULL)`,
        `SELECT CASE WHEN true THEN ${value} END`,
        `VALUES (${value})`,
        `SELECT 1 UNION SELECT ${value}`,
        `SELECT ROW(${value}), ARRAY[${value}]`,
        `SELECT sum(a) OVER (PARTITION BY ${value}) FROM s.t`,
      ),
    ),
  fc
    .constantFrom(...relations)
    .chain((relation) =>
      fc.constantFrom(
        `SELECT * FROM ${relation}`,
        `SELECT * FROM s.t, ${relation}`,
        `SELECT * FROM s.t WHERE EXISTS (SELECT 1 FROM ${relation})`,
        `SELECT 1 UNION ALL SELECT 1 FROM ${relation}`,
        `SELECT * FROM s.t LEFT JOIN LATERAL (SELECT * FROM ${relation}) y ON true`,
      ),
    ),
  fc
    .tuple(fc.constantFrom(...harmless), fc.constantFrom(...statements, ...harmless))
    .map(([one, other]) => `${one.replace(/;$| -- why$/, '')}\n; ${other}`),
);

/** What a filter that looks for words would stumble over. */
const disguises: ((sql: string) => string)[] = [
  (sql) => sql,
  (sql) => sql.replaceAll(' ', '/* SELECT 1 */ '),
  (sql) => sql.replaceAll(' ', '\n-- only a comment\n'),
  (sql) => `/* harmless /* nested */ */ ${sql}`,
  (sql) => `${sql};`,
  (sql) => `-- '\n${sql} -- '`,
  (sql) => sql.replaceAll(' ', '\t\r\n '),
];

test('5,000 hostile statements, however they are disguised, are refused', async () => {
  const generated = fc.sample(fc.tuple(hostile, fc.constantFrom(...disguises)), { numRuns: 5_000, seed: 19 });
  const taken: string[] = [];
  for (const [sql, disguise] of generated) {
    const text = disguise(sql);
    if ((await faultOfSql(text)) === undefined) taken.push(text);
  }
  expect(taken).toEqual([]);
});

test.each(
  statements.concat(
    values.map((each) => `SELECT ${each}`),
    relations.map((each) => `TABLE ${each}`),
  ),
)('is refused: %s', async (sql) => {
  expect(await faultOfSql(sql)).toBeDefined();
});

test.each(harmless)('is taken: %s', async (sql) => {
  expect(await faultOfSql(sql)).toBeUndefined();
});

test.each([
  ['SELECT 1; SELECT 2', 'is 2 statements; one is taken'],
  ['SELECT', undefined],
  ['SELEC 1', 'is not SQL: syntax error at or near "SELEC"'],
  ['', 'is not SQL: Query cannot be empty'],
  ['SELECT 1\0', 'holds a character that no text has'],
  [`SELECT ${'1 + '.repeat(5_000)}1`, 'is longer than 10000 characters'],
  [
    `SELECT ${'('.repeat(4_900)}pg_sleep(1)${')'.repeat(4_900)}`,
    'calls pg_sleep, which is not one of the functions that are taken',
  ],
  [`SELECT ${'- '.repeat(4_900)}1`, undefined],
])('what is refused is said, and no text breaks the parser', async (sql, says) => {
  expect(await faultOfSql(sql)).toBe(says);
});
