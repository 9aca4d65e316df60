import { refuse } from '../../base/reasons.ts';
import type { Catalog, Column, ForeignKey, Key, Table } from './catalog.ts';
import { mysqlCatalog } from './mysqlCatalog.ts';
import { neo4jCatalog } from './neo4jCatalog.ts';
import type { Row, Source } from './source.ts';

type Named = { schema: string; table: string };
type Commented = { comment: string | null };
type FoundTable = Named & Commented & Pick<Table, 'kind'> & { rows: number };
type FoundColumn = Named & Commented & Omit<Column, 'comment'>;
type FoundKey = Named & Omit<Key, 'isPrimary'> & { is_primary: boolean };
type FoundIndex = Named & { name: string; definition: string };
type FoundForeignKey = Named & {
  name: string;
  columns: string[];
  to_schema: string;
  to_table: string;
  to_columns: string[];
};

const own = `n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'`;

const tables = `SELECT n.nspname AS schema, c.relname AS table, CASE c.relkind
    WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'table' END AS kind,
  c.reltuples::float8 AS rows, obj_description(c.oid, 'pg_class') AS comment
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND ${own}
ORDER BY 1, 2`;

const columns = `SELECT n.nspname AS schema, c.relname AS table, a.attname AS name, NOT a.attnotnull AS nullable,
  format_type(a.atttypid, a.atttypmod) AS type, col_description(c.oid, a.attnum) AS comment
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND ${own}
ORDER BY 1, 2, a.attnum`;

/** The names of a constraint's columns, in the order of the constraint. */
const namesOf = (numbers: string, table: string) =>
  `(SELECT array_agg(a.attname::text ORDER BY u.at) FROM unnest(${numbers}) WITH ORDINALITY AS u(num, at)
    JOIN pg_attribute a ON a.attrelid = ${table} AND a.attnum = u.num)`;

const keys = `SELECT n.nspname AS schema, c.relname AS table, k.conname AS name, k.contype = 'p' AS is_primary,
  ${namesOf('k.conkey', 'k.conrelid')} AS columns
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE k.contype IN ('p', 'u') AND NOT c.relispartition AND ${own}
ORDER BY 1, 2, 3`;

const foreignKeys = `SELECT n.nspname AS schema, c.relname AS table, k.conname AS name,
  ${namesOf('k.conkey', 'k.conrelid')} AS columns,
  m.nspname AS to_schema, d.relname AS to_table, ${namesOf('k.confkey', 'k.confrelid')} AS to_columns
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_class d ON d.oid = k.confrelid JOIN pg_namespace m ON m.oid = d.relnamespace
WHERE k.contype = 'f' AND NOT c.relispartition AND ${own}
ORDER BY 1, 2, k.conname`;

const indexes = `SELECT n.nspname AS schema, c.relname AS table, x.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT c.relispartition AND ${own}
ORDER BY 1, 2, 3`;

/** Columns, keys or indexes of one source; more are no schema that anybody reads. */
const most = 200_000;

const keyOf = ({ schema, table }: Named) => JSON.stringify([schema, table]);

/**
 * Reads what a database says of itself: a few queries, however many tables it has.
 * @throws ConcordError `source-too-large`; Error of the database
 */
export async function readCatalog(source: Source, signal: AbortSignal): Promise<Catalog> {
  const rowsOf = async <Found extends Row>(sql: string) => {
    signal.throwIfAborted();
    const rows = await source.rows<Found>(`${sql} LIMIT ${most + 1}`);
    if (rows.length > most)
      throw refuse('source-too-large', `The source has more than ${most} tables, columns or keys`);
    return rows;
  };
  if (source.dialect === 'cypher') return neo4jCatalog(rowsOf);
  if (source.dialect === 'mysql') return mysqlCatalog(rowsOf);
  const byKey = new Map<string, Table>();
  for (const row of await rowsOf<FoundTable>(tables)) {
    const { schema, table: name, kind, comment } = row;
    // Minus one says that nobody has counted.
    const counted = kind !== 'view' && row.rows >= 0 ? { rows: row.rows } : {};
    const table: Table = { schema, name, kind, ...counted, columns: [], keys: [], indexes: [] };
    byKey.set(keyOf(row), comment === null ? table : { ...table, comment });
  }
  for (const { name, type, nullable, comment, ...of } of await rowsOf<FoundColumn>(columns))
    byKey.get(keyOf(of))?.columns.push({ name, type, nullable, ...(comment !== null && { comment }) });
  for (const { name, is_primary: isPrimary, columns, ...of } of await rowsOf<FoundKey>(keys))
    byKey.get(keyOf(of))?.keys.push({ name, isPrimary, columns });
  for (const { name, definition, ...of } of await rowsOf<FoundIndex>(indexes))
    byKey.get(keyOf(of))?.indexes.push({ name, definition });
  const declared = (await rowsOf<FoundForeignKey>(foreignKeys)).map(
    ({ schema, table, name, columns, to_schema, to_table, to_columns }): ForeignKey => ({
      from: { schema, table, columns },
      to: { schema: to_schema, table: to_table, columns: to_columns },
      name,
    }),
  );
  return { tables: [...byKey.values()], foreignKeys: declared };
}
