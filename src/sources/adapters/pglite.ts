import type { PGlite } from '@electric-sql/pglite';
import { answerTooLarge } from '../../base/limitExceeded.ts';
import { cellOf } from './postgresSelect.ts';
import type { Cell, Row, Selected, SelectLimits, Source } from './source.ts';
import { statementMs } from './source.ts';

/**
 * A PostgreSQL inside of this process, for demonstrations and tests. Its package is one for development, so it comes
 * neither with the image nor with an installation that leaves those out.
 * @param folder of its data, which is to be open nowhere else
 */
export function openPglite(folder: string): Source {
  let opening: Promise<PGlite> | undefined;
  return pgliteSource(() => {
    opening ??= open(folder);
    return opening;
  });
}

type Transaction = Parameters<Parameters<PGlite['transaction']>[0]>[0];

/** One that may be open already. Closing the source closes it. */
export function pgliteSource(opened: () => Promise<PGlite>): Source {
  let isUsed = false;
  const reading = async <Result>(timeoutMs: number, work: (tx: Transaction) => Promise<Result>): Promise<Result> => {
    isUsed = true;
    const database = await opened();
    return database.transaction(async (tx) => {
      await tx.exec(
        `SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = ${timeoutMs}; SET LOCAL search_path = pg_catalog`,
      );
      return work(tx);
    });
  };
  return {
    dialect: 'postgresql',
    // It runs in this very process, where nothing can end what takes too long.
    stops: false,
    rows: <Found extends Row>(sql: string, values: unknown[] = []) =>
      reading(statementMs, async (tx) => (await tx.query<Found>(sql, values)).rows),
    select: (statement, limits) => reading(limits.timeoutMs, (tx) => selected(tx, statement, limits)),
    async close() {
      if (isUsed) await (await opened()).close();
    },
  };
}

/** Over a cursor, so that no more is made than is wanted. */
async function selected(
  tx: Transaction,
  { sql, values }: { sql: string; values: unknown[] },
  { rows: most, bytes, signal }: SelectLimits,
): Promise<Selected> {
  signal.throwIfAborted();
  await tx.query(`DECLARE answer NO SCROLL CURSOR FOR ${sql}`, values);
  const { fields } = await tx.query('FETCH FORWARD 0 FROM answer');
  const oids = [...new Set(fields.map(({ dataTypeID }) => dataTypeID))];
  const parsers = Object.fromEntries(oids.map((oid) => [oid, (text: string) => cellOf(oid, text)]));
  const { rows } = await tx.query<Cell[]>(`FETCH FORWARD ${most + 1} FROM answer`, [], { rowMode: 'array', parsers });
  if (JSON.stringify(rows).length > bytes) throw answerTooLarge(bytes);
  const { rows: types } = await tx.query<{ oid: number; type: string }>(
    'SELECT oid::int4 AS oid, format_type(oid, NULL) AS type FROM pg_type WHERE oid = ANY($1::oid[])',
    [oids],
  );
  const names = new Map(types.map(({ oid, type }) => [oid, type]));
  const columns = fields.map(({ name, dataTypeID }) => ({ name, type: names.get(dataTypeID) ?? 'unknown' }));
  return { columns, rows: rows.slice(0, most), truncated: rows.length > most };
}

async function open(folder: string): Promise<PGlite> {
  const { PGlite } = await import('@electric-sql/pglite').catch((cause: unknown) => {
    throw new Error('The package @electric-sql/pglite is not installed', { cause });
  });
  return PGlite.create(folder);
}
