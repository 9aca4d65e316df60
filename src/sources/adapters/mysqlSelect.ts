import driver from 'mysql2';
import type mysql from 'mysql2/promise';
import type { Cell, Selected, SelectLimits } from './source.ts';
import { watchedStream } from './watchedStream.ts';

interface Field {
  name: string;
  columnType: number;
  /** 63 is binary: then a text's type is one of bytes. */
  characterSet: number;
}

/** A connection as the driver has it below its promises. */
interface Underlying {
  stream: import('node:net').Socket;
  execute(options: object): {
    on(event: 'fields', listener: (fields: Field[]) => void): void;
    on(event: 'result', listener: (row: unknown[]) => void): void;
    on(event: 'error', listener: (error: Error) => void): void;
    on(event: 'end', listener: () => void): void;
  };
  /** What ends the connection comes from itself, and from no command. */
  on(event: 'error', listener: (error: Error) => void): void;
  off(event: 'error', listener: (error: Error) => void): void;
}

const underlying = (connection: mysql.PoolConnection) =>
  (connection as unknown as { connection: Underlying }).connection;

/** A row at a time: the connection of an answer that has more than are wanted is ended, and the statement with it. */
export async function selected(
  connection: mysql.PoolConnection,
  { sql, values }: { sql: string; values: unknown[] },
  { rows: most }: SelectLimits,
): Promise<Selected> {
  // Where a statement has no limit of its own; others are cut here.
  await connection.query('SET SESSION sql_select_limit = ?', [most + 1]);
  const { fields, rows } = await answerOf(underlying(connection), { sql, values, rowsAsArray: true }, most);
  if (rows.length > most) underlying(connection).stream.destroy();
  else await connection.query('SET SESSION sql_select_limit = DEFAULT');
  return {
    columns: fields.map((field) => ({ name: field.name, type: typeOf(field) })),
    rows: rows.slice(0, most).map((row) => row.map(cellOf)),
    truncated: rows.length > most,
  };
}

/** @returns as many rows as are wanted, or one more, after which nothing is waited for */
async function answerOf(
  connection: Underlying,
  statement: object,
  most: number,
): Promise<{ fields: Field[]; rows: unknown[][] }> {
  let onLoss: (error: Error) => void = () => {};
  try {
    return await new Promise((resolve, reject) => {
      const rows: unknown[][] = [];
      let fields: Field[] = [];
      onLoss = reject;
      connection.on('error', onLoss);
      const command = connection.execute(statement);
      command.on('fields', (each) => {
        fields = each;
      });
      command.on('result', (row) => {
        if (rows.length <= most) rows.push(row);
        if (rows.length > most) resolve({ fields, rows });
      });
      command.on('error', reject);
      command.on('end', () => resolve({ fields, rows }));
    });
  } finally {
    connection.off('error', onLoss);
  }
}

/** Whether a connection was ended. */
export const isEnded = (connection: mysql.PoolConnection): boolean => underlying(connection).stream.destroyed;

const binary = 63;

function typeOf({ columnType, characterSet }: Field): string {
  const name = (driver.Types as unknown as Record<number, string>)[columnType]?.toLowerCase() ?? 'unknown';
  const plain = { tiny: 'tinyint', short: 'smallint', int24: 'mediumint', long: 'int', longlong: 'bigint' }[name];
  const isText = characterSet !== binary;
  if (plain) return plain;
  if (/^(?:var_string|varchar)$/.test(name)) return isText ? 'varchar' : 'varbinary';
  if (name === 'string') return isText ? 'char' : 'binary';
  if (name.endsWith('blob')) return isText ? 'text' : 'blob';
  return name === 'newdecimal' ? 'decimal' : name;
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Buffer.isBuffer(value)) return `0x${value.toString('hex')}`;
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

/** Ends the connection where an answer becomes too long, or is no longer wanted, as `watchedStream` has it. */
export const watched = (connection: mysql.PoolConnection, limits: SelectLimits) =>
  watchedStream(underlying(connection).stream, limits);
