import pg from 'pg';
import type { Row, Source } from './source.ts';
import { statementMs } from './source.ts';

/** Connections at a time; they are closed when nobody has used them for a while. */
const most = 2;

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
    // The server ends a statement first; this is for one that no longer answers.
    query_timeout: statementMs + 5_000,
  });
  // A connection that is lost: what is asked over it fails, and the next question takes another.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    dialect: 'postgresql',
    async rows<Found extends Row>(sql: string, values: unknown[] = []) {
      const client = await pool.connect();
      let fault: Error | undefined;
      try {
        await client.query(
          `BEGIN TRANSACTION READ ONLY; SET LOCAL statement_timeout = ${statementMs}; SET LOCAL search_path = pg_catalog`,
        );
        // The extended protocol takes one statement only.
        const asked = { text: sql, values, queryMode: 'extended' } as pg.QueryConfig;
        const { rows } = await client.query<Found>(asked);
        await client.query('ROLLBACK');
        return rows;
      } catch (error) {
        fault = error as Error;
        throw error;
      } finally {
        // Its transaction is left open by a fault.
        client.release(fault);
      }
    },
    close: () => pool.end(),
  };
}
