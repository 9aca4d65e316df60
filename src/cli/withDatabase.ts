import type { Database } from '../graph/database/database.ts';
import type { Io } from './terminal/io.ts';

/** What a command needs that works on the database beside the service. */
export interface DatabaseParts extends Io {
  connect(): Promise<Database>;
}

/** Opens the database for a piece of work, and closes it again. */
export async function withDatabase<T>(
  { connect }: DatabaseParts,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await connect();
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
