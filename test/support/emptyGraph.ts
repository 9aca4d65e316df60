import type { Database } from '../../src/graph/database/database.ts';

/** Removes everything but constraints and indexes; in batches, for the file before may have left much. */
export async function empty(database: Database): Promise<void> {
  await database.run('WRITE', 'MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS');
}

/** Removes the constraints and indexes too, but the look-ups by label and type that every database comes with. */
export async function dropSchema(database: Database): Promise<void> {
  for (const kind of ['CONSTRAINT', 'INDEX']) {
    const shown = kind === 'INDEX' ? "INDEXES YIELD name, type WHERE type <> 'LOOKUP'" : 'CONSTRAINTS YIELD name';
    const rows = await database.run<{ name: string }>('READ', `SHOW ${shown} RETURN name`);
    for (const { name } of rows) await database.run('WRITE', `DROP ${kind} \`${name}\` IF EXISTS`);
  }
}
