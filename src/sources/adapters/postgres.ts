import pg from 'pg';
import { selected, watched } from './postgresSelect.ts';
import type { Row, SelectLimits, Source } from './source.ts';
import { statementMs } from './source.ts';

/** Connections at a time; they are closed when nobody has used them for a while. */
const most = 4;
/** What is waited for a server beyond the time at which it ends a statement by itself. */
const graceMs = 5_000;

/**
 * A PostgreSQL.
 * @param url `postgres://user:password@host:5432/database`; nobody is called before something is asked
 */
export function openPostgres(url: string): Source {
  const pool = new pg.Pool({
    connectionString: url,
    max: most,
    application_name: 'concord',
    connectionTimeoutMillis: 10_000,
    // A server that is gone without a word is found out.
    keepAlive: true,
  });
  // A connection that is lost: what is asked over it fails, and the next question takes another.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    dialect: 'postgresql',
    rows: <Found extends Row>(sql: string, values: unknown[] = []) =>
      reading(pool, statementMs, async (client) => {
        // The extended protocol takes one statement only.
        const asked = { text: sql, values, queryMode: 'extended', query_timeout: statementMs + graceMs };
        return (await client.query<Found>(asked as pg.QueryConfig)).rows;
      }),
    stops: true,
    select: (statement, limits: SelectLimits) =>
      reading(pool, limits.timeoutMs, async (client) => {
        limits.signal.throwIfAborted();
        const unwatch = watched(client, limits);
        try {
          return await selected(client, statement, limits);
        } finally {
          unwatch();
        }
      }),
    close: () => pool.end(),
  };
}

/** Runs `work` in a transaction that only reads, and gives its connection back; after a fault nobody uses it again. */
async function reading<T>(pool: pg.Pool, timeoutMs: number, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let fault: Error | undefined;
  try {
    await client.query(
      `BEGIN TRANSACTION READ ONLY; SET LOCAL statement_timeout = ${timeoutMs}; SET LOCAL search_path = pg_catalog;
       SET LOCAL standard_conforming_strings = on`,
    );
    const result = await work(client);
    await client.query('ROLLBACK');
    return result;
  } catch (error) {
    fault = error as Error;
    throw error;
  } finally {
    client.release(fault);
  }
}
