import pg from 'pg';
import { startPostgres } from '../sources/postgresServer.ts';
import type { Bench, Figure, Suite } from './bench.ts';
import { call } from './client.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { openNeo4j } from './neo4j.ts';
import { startConcord, vocabularyFile } from './servers.ts';

/** Every fifth table doesn't declare the foreign key that it has. */
const undeclared = 5;

interface Found {
  tables: number;
  columns: number;
  declared: number;
  inferred: number;
  statements: number;
  added: number;
  removed: number;
}

/** Introspection of a PostgreSQL of 1,000 tables: at first, again, and after a change. */
export const sources: Suite = async (bench) => {
  const neo4j = await openNeo4j(bench);
  const machine = await describeMachine(neo4j.driver);
  const postgres = await startPostgres();
  if (!postgres) throw new Error('There is no PostgreSQL to introspect');
  bench.opened(() => postgres.close());
  const tables = bench.quick ? 50 : 1_000;
  await withClient(postgres.url, (client) => createTables(client, tables));
  bench.say(`${tables} tables are there`);
  const { url } = await startConcord(bench, neo4j.server, vocabularyFile, { SOURCES: `big=${postgres.url}` });
  const figures: Figure[] = [];
  const run = async (name: string, aim?: string) => {
    const [ms, found] = await introspected(bench, url);
    const group = `${found.tables} tables, ${found.columns} columns, ${found.statements} statements`;
    figures.push(
      { group, name, column: 'time', value: ms / 1_000, unit: 's', ...(aim && { aim }) },
      { group, name, column: 'patches', value: found.added + found.removed, unit: '' },
    );
  };
  await run('at first', '< 60 s');
  await run('again', 'no patch');
  await withClient(postgres.url, (client) => client.query('ALTER TABLE t7 ALTER amount TYPE numeric(14,2)'));
  await run('after a change of a type', '2 patches');
  return { machine: { ...machine, PostgreSQL: '15', 'load after': loadAverage() }, figures };
};

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Each has eight columns, two keys and an index, refers to the one before, and has 20 rows. */
async function createTables(client: pg.Client, tables: number): Promise<void> {
  for (let n = 0; n < tables; n++) {
    const reference = n === 0 || n % undeclared === 0 ? '' : `REFERENCES t${n - 1}`;
    await client.query(`CREATE TABLE t${n} (
      id bigint PRIMARY KEY, code varchar(20) NOT NULL UNIQUE, name text NOT NULL, amount numeric(12,2),
      made_on date, changed_at timestamptz DEFAULT now(), is_open boolean NOT NULL, t${Math.max(0, n - 1)}_id bigint ${reference})`);
    await client.query(`INSERT INTO t${n} SELECT i, 'c' || i, 'Name ' || i, i, now(), now(), true, i
      FROM generate_series(1, 20) i`);
    await client.query(`COMMENT ON TABLE t${n} IS 'The table number ${n}'`);
  }
  await client.query('ANALYZE');
}

async function introspected(bench: Bench, url: string): Promise<[ms: number, found: Found]> {
  const begun = performance.now();
  const message = {
    role: 'user',
    kind: 'message',
    messageId: `introspect-${begun}`,
    parts: [{ kind: 'data', data: { skill: 'introspect', source: 'big' } }],
  };
  const task = await call<{ status: { state: string }; artifacts: { parts: { data: Found }[] }[] }>(
    url,
    'message/send',
    { message, configuration: { blocking: true } },
  );
  const found = task.artifacts?.[0]?.parts[0]?.data;
  if (!found) throw new Error(`The introspection is ${JSON.stringify(task.status)}`);
  const ms = performance.now() - begun;
  bench.say(`${Math.round(ms)} ms: ${JSON.stringify(found)}`);
  return [ms, found];
}
