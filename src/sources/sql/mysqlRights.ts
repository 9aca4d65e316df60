import type { Source } from '../adapters/source.ts';

const question = `SELECT privilege_type AS granted FROM information_schema.user_privileges
UNION SELECT privilege_type FROM information_schema.schema_privileges
UNION SELECT privilege_type FROM information_schema.table_privileges
UNION SELECT privilege_type FROM information_schema.column_privileges`;

const reading = new Set(['USAGE', 'SELECT', 'SHOW VIEW', 'SHOW DATABASES']);
const changes = new Set(['INSERT', 'UPDATE', 'DELETE']);

/**
 * What the user of a MySQL or MariaDB may do beyond reading, in words; nothing where it may only read.
 * @throws Error of the database
 */
export async function mysqlRights(source: Source): Promise<string[]> {
  const rows = await source.rows<{ granted: string }>(question);
  const granted = rows.map((row) => row.granted.toUpperCase()).filter((each) => !reading.has(each));
  const says = granted.map((each) => {
    if (changes.has(each)) return 'may change tables';
    if (each === 'CREATE') return 'may create tables';
    return each === 'FILE' ? "may use the server's files" : 'may do more than read';
  });
  return [...new Set(says)].sort();
}
