import mysql from 'mysql2/promise';
import { isEnded, selected, watched } from './mysqlSelect.ts';
import { type Row, type SelectLimits, type Source, statementMs } from './source.ts';

/** Connections at a time; they are closed when nobody has used them for a while. */
const most = 4;
/** What is waited for a server beyond the time at which it ends a statement by itself. */
const graceMs = 5_000;

/**
 * A MySQL or MariaDB.
 * @param url `mysql://user:password@host:3306/database`; nobody is called before something is asked
 */
export function openMysql(url: string): Source {
  const pool = mysql.createPool({
    uri: url,
    connectionLimit: most,
    maxIdle: 1,
    idleTimeout: 60_000,
    connectTimeout: 10_000,
    enableKeepAlive: true,
    charset: 'utf8mb4',
    // One statement at a time, and of files nothing.
    multipleStatements: false,
    infileStreamFactory: () => {
      throw new Error('The server may not ask for files');
    },
    // What JSON has no exact value for is text.
    dateStrings: true,
    supportBigNumbers: true,
    timezone: 'Z',
  });
  return {
    dialect: 'mysql',
    stops: true,
    rows: <Found extends Row>(sql: string, values: unknown[] = []) =>
      reading(pool, statementMs, async (connection) => {
        const [rows] = await connection.execute({ sql, timeout: statementMs + graceMs }, values as string[]);
        return rows as unknown as Found[];
      }),
    select: (statement, limits: SelectLimits) =>
      reading(pool, limits.timeoutMs, async (connection) => {
        limits.signal.throwIfAborted();
        const unwatch = watched(connection, limits);
        try {
          return await selected(connection, statement, limits);
        } finally {
          unwatch();
        }
      }),
    close: () => pool.end(),
  };
}

/** Runs `work` in a transaction that only reads; after a fault nobody uses its connection again. */
async function reading<T>(
  pool: mysql.Pool,
  timeoutMs: number,
  work: (connection: mysql.PoolConnection) => Promise<T>,
): Promise<T> {
  const connection = await pool.getConnection();
  try {
    // Without ANSI_QUOTES, by which `"x"` would be a name, and without what makes `||` something else.
    await connection.query("SET SESSION sql_mode = ''");
    await limited(connection, timeoutMs);
    await connection.query('START TRANSACTION READ ONLY');
    const result = await work(connection);
    if (isEnded(connection)) {
      connection.destroy();
      return result;
    }
    await connection.query('ROLLBACK');
    connection.release();
    return result;
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

const unknownVariable = 'ER_UNKNOWN_SYSTEM_VARIABLE';

/** MariaDB and MySQL call it differently, and the ones count seconds. */
async function limited(connection: mysql.PoolConnection, timeoutMs: number): Promise<void> {
  try {
    await connection.query('SET SESSION max_statement_time = ?', [timeoutMs / 1_000]);
  } catch (error) {
    if ((error as { code?: string }).code !== unknownVariable) throw error;
    await connection.query('SET SESSION max_execution_time = ?', [timeoutMs]);
  }
}
