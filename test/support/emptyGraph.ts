import type { Database } from '../../src/graph/database/database.ts';

/**
 * Removes everything but constraints, indexes and the records of the migrations that have made them: a start that finds
 * none gives each of their commands anew, for a second and more. In batches, for the file before may have left much. Not
 * by `IN TRANSACTIONS`: those of Neo4j's own making don't tell that they are Concord's, and would be taken for edits by
 * hand.
 */
export async function empty(database: Database): Promise<void> {
  for (let removed = -1; removed !== 0; ) {
    const [row] = await database.run<{ removed: number }>(
      'WRITE',
      'MATCH (n) WHERE NOT n:Migration WITH n LIMIT 10000 DETACH DELETE n RETURN count(*) AS removed',
    );
    removed = row?.removed ?? 0;
  }
}

/** Has the next start apply all migrations, as on a database that never had any. */
export async function forgetMigrations(database: Database): Promise<void> {
  await database.run('WRITE', 'MATCH (m:Migration) DELETE m');
}

/** Removes the constraints and indexes too, but the look-ups by label and type that every database comes with. */
export async function dropSchema(database: Database): Promise<void> {
  await forgetMigrations(database);
  for (const kind of ['CONSTRAINT', 'INDEX']) {
    const shown = kind === 'INDEX' ? "INDEXES YIELD name, type WHERE type <> 'LOOKUP'" : 'CONSTRAINTS YIELD name';
    const rows = await database.run<{ name: string }>('READ', `SHOW ${shown} RETURN name`);
    for (const { name } of rows) await database.run('WRITE', `DROP ${kind} \`${name}\` IF EXISTS`);
  }
}
