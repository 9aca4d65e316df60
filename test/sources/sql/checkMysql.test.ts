import { expect, test } from '@jest/globals';
import { faultOfMysql } from '../../../src/sources/sql/checkMysql.ts';

const harmless = [
  'SELECT 1',
  "SELECT name, count(*) AS orders FROM sales.orders JOIN sales.customers AS c ON c.id = orders.id WHERE c.name LIKE 'A%' GROUP BY name",
  'WITH big AS (SELECT * FROM sales.orders WHERE amount > 100) SELECT avg(amount) FROM big ORDER BY 1 DESC LIMIT 3',
  "SELECT sum(a) OVER (PARTITION BY b ORDER BY c), extract(year FROM d), date_format(d, '%Y') FROM s.t",
  "SELECT CASE WHEN a IS NULL THEN 'none' ELSE upper(a) END, coalesce(b, 0), now(), CAST(a AS char) FROM s.`pg`",
  "(SELECT id FROM s.t WHERE EXISTS (SELECT 1 FROM s.u WHERE u.id = t.id)) UNION ALL (SELECT ? FROM s.t WHERE x = 'DROP TABLE x')",
  "SELECT group_concat(a ORDER BY a SEPARATOR ', ') FROM (SELECT DISTINCT a FROM s.t LIMIT 5) AS d WHERE a NOT IN (1, 2)",
];

/** Each does what no question may do. */
const statements = [
  'DELETE FROM s.t',
  'INSERT INTO s.t VALUES (1)',
  'UPDATE s.t SET a = 1',
  'REPLACE INTO s.t VALUES (1)',
  'TRUNCATE s.t',
  'DROP TABLE s.t',
  'CREATE TABLE s.x AS SELECT 1',
  "SELECT 1 INTO OUTFILE '/tmp/x'",
  "SELECT a FROM s.t INTO DUMPFILE '/tmp/x'",
  'SELECT 1 INTO @x',
  'SELECT * FROM s.t FOR UPDATE',
  'SELECT * FROM s.t LOCK IN SHARE MODE',
  "LOAD DATA INFILE '/etc/passwd' INTO TABLE s.t",
  "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE s.t",
  'CALL s.f()',
  'DO sleep(1)',
  'SET GLOBAL read_only = 0',
  'SET @x = 1',
  'HANDLER s.t OPEN',
  "PREPARE p FROM 'SELECT 1'",
  'EXECUTE p',
  'COMMIT',
  'START TRANSACTION',
  'LOCK TABLES s.t WRITE',
  'FLUSH TABLES',
  'KILL 1',
  'GRANT ALL ON *.* TO x',
  'SHOW GRANTS',
  'EXPLAIN DELETE FROM s.t',
  'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT * FROM r',
  'SELECT SQL_CALC_FOUND_ROWS 1',
  'SELECT 1; SELECT 2',
  'SELECT 1; DELETE FROM s.t',
  'SELECT * FROM mysql.user',
  'SELECT * FROM `MySQL`.user',
  'SELECT * FROM information_schema.tables',
  'SELECT * FROM performance_schema.threads',
  'SELECT x FROM s.t PROCEDURE ANALYSE()',
  '',
];

const values = [
  'sleep(60)',
  'SLEEP (60)',
  '`sleep`(60)',
  "benchmark(1000000000, md5('x'))",
  "get_lock('x', 60)",
  "release_lock('x')",
  "load_file('/etc/passwd')",
  '@x := 1',
  '@x',
  '@@version',
  '@@global.read_only',
  'version()',
  'user()',
  'current_user()',
  'database()',
  'connection_id()',
  's.count(1)',
  's.f(1)',
  's.lower(a)',
  '`lower`(a)',
  "sys_exec('id')",
  'master_pos_wait(1, 2)',
  'uuid()',
  'rand()',
  "repeat('x', 1000000000)",
  "rpad('x', 1000000000, 'x')",
  'space(1000000000)',
  "extractvalue(1, '/x')",
  'last_insert_id(5)',
  'nextval(s.q)',
  'NEXT VALUE FOR s.q',
  "a REGEXP '(x+)+y'",
  "'it\\'s'",
  '"x"',
  '1 /*!50000 , sleep(60) */',
  '1 /*M! , sleep(60) */',
  '1 -- x',
  '1--1',
  '1 # x',
];

test('one SELECT of what is known to be harmless is taken', () => {
  for (const sql of harmless) expect([sql, faultOfMysql(sql)]).toEqual([sql, undefined]);
});

test('what writes, locks, sets, loads, calls or is several is refused', () => {
  const taken = statements.filter((sql) => faultOfMysql(sql) === undefined);
  expect(taken).toEqual([]);
});

test('what waits, reads files, settings or variables, or makes long texts is refused wherever it stands', () => {
  const around = (value: string) => [
    `SELECT ${value}`,
    `SELECT a FROM s.t WHERE a = ${value}`,
    `SELECT a FROM s.t ORDER BY ${value}`,
    `SELECT a FROM s.t WHERE a IN (SELECT ${value})`,
    `SELECT a FROM (SELECT ${value} AS a) AS d`,
    `SELECT a FROM s.t JOIN s.u ON a = ${value}`,
    `WITH x AS (SELECT ${value} AS a) SELECT a FROM x`,
    `SELECT 1 UNION SELECT ${value}`,
    `SELECT sum(a) OVER (ORDER BY ${value}) FROM s.t`,
  ];
  const taken = values.flatMap(around).filter((sql) => faultOfMysql(sql) === undefined);
  expect(taken).toEqual([]);
});

test('a long text is refused before it is read', () => {
  expect(faultOfMysql(`SELECT '${'x'.repeat(10_000)}'`)).toMatch(/longer than 10000/);
});
