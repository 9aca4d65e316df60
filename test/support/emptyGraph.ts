import type { Database } from '../../src/graph/database/database.ts';

/** Removes everything but constraints and indexes; in batches, for the file before may have left much. */
export async function empty(database: Database): Promise<void> {
  await database.run('WRITE', 'MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS');
}
