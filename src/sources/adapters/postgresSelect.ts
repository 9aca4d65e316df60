import type pg from 'pg';
import type { Cell, Selected, SelectLimits } from './source.ts';
import { watchedStream } from './watchedStream.ts';

/** Rows that are fetched at a time. */
const portion = 100;

const bool = 16;
const exactNumbers = new Set([20, 21, 23, 700, 701]);

/** Over a cursor, so that no more is made and sent than is wanted. In a transaction that is open. */
export async function selected(
  client: pg.PoolClient,
  { sql, values }: { sql: string; values: unknown[] },
  limits: SelectLimits,
): Promise<Selected> {
  const text = `DECLARE answer NO SCROLL CURSOR FOR ${sql}`;
  // The extended protocol takes one statement only, whatever else stands in the text.
  await client.query({ text, values, queryMode: 'extended' } as pg.QueryConfig);
  const rows: Cell[][] = [];
  for (;;) {
    const wanted = Math.min(portion, limits.rows + 1 - rows.length);
    const found = await client.query<Cell[]>({
      text: `FETCH FORWARD ${wanted} FROM answer`,
      rowMode: 'array',
      types: { getTypeParser: (oid: number) => (text: string | Buffer) => cellOf(oid, String(text)) },
    } as unknown as pg.QueryArrayConfig);
    rows.push(...found.rows);
    if (found.rows.length === wanted && rows.length <= limits.rows) continue;
    const truncated = rows.length > limits.rows;
    return { columns: await columnsOf(client, found.fields), rows: rows.slice(0, limits.rows), truncated };
  }
}

async function columnsOf(client: pg.PoolClient, fields: pg.FieldDef[]): Promise<Selected['columns']> {
  const oids = [...new Set(fields.map(({ dataTypeID }) => dataTypeID))];
  const { rows } = await client.query<{ oid: number; type: string }>(
    'SELECT oid::int8::text AS oid, format_type(oid, NULL) AS type FROM pg_type WHERE oid = ANY($1::oid[])',
    [oids],
  );
  const types = new Map(rows.map(({ oid, type }) => [Number(oid), type]));
  return fields.map(({ name, dataTypeID }) => ({ name, type: types.get(dataTypeID) ?? 'unknown' }));
}

export function cellOf(oid: number, text: string): Cell {
  if (oid === bool) return text === 't';
  const number = Number(text);
  return exactNumbers.has(oid) && Number.isFinite(number) && isExact(oid, number) ? number : text;
}

const bigint = 20;
const isExact = (oid: number, number: number) => oid !== bigint || Number.isSafeInteger(number);

/** Ends the connection where an answer becomes too long, or is no longer wanted, as `watchedStream` has it. */
export function watched(client: pg.PoolClient, limits: SelectLimits): () => void {
  const { stream } = (client as unknown as { connection: { stream: import('node:net').Socket } }).connection;
  return watchedStream(stream, limits);
}
