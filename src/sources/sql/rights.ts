import type { Source } from '../adapters/source.ts';
import { mysqlRights } from './mysqlRights.ts';

const question = `SELECT r.rolsuper AS "is a superuser",
  EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
      AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')) AS "may change tables",
  EXISTS (SELECT 1 FROM pg_namespace n WHERE n.nspname NOT LIKE 'pg\\_%'
      AND has_schema_privilege(n.oid, 'CREATE')) AS "may create tables",
  EXISTS (SELECT 1 FROM pg_roles f WHERE pg_has_role(f.oid, 'USAGE') AND f.rolname IN
      ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')) AS "may use the server's files"
FROM pg_roles r WHERE r.rolname = current_user`;

/**
 * What the user of a source may do beyond reading, in words; nothing where it may only read.
 * @throws Error of the database
 */
export async function rightsBeyondReading(source: Source): Promise<string[]> {
  // Only Neo4j Enterprise has users that may not write; a session that reads is held to that by the server.
  if (source.dialect === 'cypher') return [];
  if (source.dialect === 'mysql') return mysqlRights(source);
  const [rights = {}] = await source.rows<Record<string, boolean>>(question);
  return Object.entries(rights).flatMap(([says, holds]) => (holds ? [says] : []));
}
