import { groupBy } from '../../base/groupBy.ts';
import type { Catalog, ForeignKey, Table } from './catalog.ts';
import type { Row } from './source.ts';

type Named = { schema: string; table: string };
type Part = Named & { name: string; column: string };
type FoundTable = Named & { kind: string; rows: number | string | null; comment: string };
type FoundColumn = Named & { name: string; type: string; nullable: string; comment: string };
type FoundIndex = Part & { isUnique: number | string };
type FoundForeignKey = Part & { toSchema: string; toTable: string; toColumn: string };

const own = (schema: string) => `${schema} NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys')`;

const tables = `SELECT table_schema AS \`schema\`, table_name AS \`table\`, table_type AS kind, table_rows AS \`rows\`,
  table_comment AS comment
FROM information_schema.tables WHERE ${own('table_schema')} ORDER BY 1, 2`;

const columns = `SELECT table_schema AS \`schema\`, table_name AS \`table\`, column_name AS name, column_type AS type,
  is_nullable AS nullable, column_comment AS comment
FROM information_schema.columns WHERE ${own('table_schema')} ORDER BY 1, 2, ordinal_position`;

const indexes = `SELECT table_schema AS \`schema\`, table_name AS \`table\`, index_name AS name, column_name AS \`column\`,
  non_unique = 0 AS isUnique
FROM information_schema.statistics WHERE ${own('table_schema')} AND column_name IS NOT NULL
ORDER BY 1, 2, 3, seq_in_index`;

const foreignKeys = `SELECT table_schema AS \`schema\`, table_name AS \`table\`, constraint_name AS name,
  column_name AS \`column\`, referenced_table_schema AS toSchema, referenced_table_name AS toTable,
  referenced_column_name AS toColumn
FROM information_schema.key_column_usage WHERE ${own('table_schema')} AND referenced_table_name IS NOT NULL
ORDER BY 1, 2, 3, ordinal_position`;

const keyOf = ({ schema, table }: Named) => JSON.stringify([schema, table]);

/** What a MySQL or MariaDB says of itself to its user: four queries, however many tables it has. */
export async function mysqlCatalog(rowsOf: <Found extends Row>(sql: string) => Promise<Found[]>): Promise<Catalog> {
  const byKey = new Map<string, Table>();
  for (const row of await rowsOf<FoundTable>(tables)) {
    const isView = row.kind.endsWith('VIEW');
    byKey.set(keyOf(row), {
      ...{ schema: row.schema, name: row.table, kind: isView ? 'view' : 'table' },
      ...(!isView && row.rows !== null && { rows: Number(row.rows) }),
      ...(!isView && commentOf(row)),
      ...{ columns: [], keys: [], indexes: [] },
    });
  }
  for (const row of await rowsOf<FoundColumn>(columns))
    byKey
      .get(keyOf(row))
      ?.columns.push({ name: row.name, type: row.type, nullable: row.nullable === 'YES', ...commentOf(row) });
  for (const parts of partsOf(await rowsOf<FoundIndex>(indexes))) {
    const [{ name, isUnique, ...of }] = parts;
    const names = parts.map(({ column }) => column);
    const table = byKey.get(keyOf(of));
    const kind = Number(isUnique) === 1 ? 'UNIQUE INDEX' : 'INDEX';
    table?.indexes.push({ name, definition: `${kind} ${name} (${names.join(', ')})` });
    if (Number(isUnique) === 1) table?.keys.push({ name, isPrimary: name === 'PRIMARY', columns: names });
  }
  const declared = partsOf(await rowsOf<FoundForeignKey>(foreignKeys)).map((parts): ForeignKey => {
    const [{ schema, table, name, toSchema, toTable }] = parts;
    return {
      name,
      from: { schema, table, columns: parts.map(({ column }) => column) },
      to: { schema: toSchema, table: toTable, columns: parts.map(({ toColumn }) => toColumn) },
    };
  });
  return { tables: [...byKey.values()], foreignKeys: declared };
}

/** Rows of one index or key, in their order. */
function partsOf<Found extends Part>(rows: Found[]): [Found, ...Found[]][] {
  return [...groupBy(rows, (row) => JSON.stringify([row.schema, row.table, row.name])).values()] as [
    Found,
    ...Found[],
  ][];
}

const commentOf = ({ comment }: { comment: string }) => (comment === '' ? {} : { comment });
