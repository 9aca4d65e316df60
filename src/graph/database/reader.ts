import { StartupError } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import { isAccepted } from '../../neo4jServer/bolt.ts';
import type { Neo4jServer } from '../../neo4jServer/server.ts';
import type { Instruments } from '../../telemetry/instruments.ts';
import { Database } from './database.ts';

/**
 * The database as the user of NEO4J_READER_USER sees it, for the queries of callers; undefined where there is none.
 * @param main what it reads after: what Concord has written there is there for readers, too
 * @throws StartupError when Neo4j refuses the user
 */
export async function connectReader(
  { NEO4J_READER_USER: user, NEO4J_READER_PASSWORD: password, NEO4J_DATABASE: database, secretFiles }: Config,
  { uri }: Neo4jServer,
  main: Database,
  instruments: Instruments,
): Promise<Database | undefined> {
  if (user === undefined) return undefined;
  if (password === undefined) throw new StartupError('NEO4J_READER_USER needs NEO4J_READER_PASSWORD.');
  if (!(await isAccepted(uri, user, password))) {
    throw new StartupError(
      `Neo4j at ${uri} refuses '${user}', the user for queries. Correct NEO4J_READER_USER or NEO4J_READER_PASSWORD, or ` +
        'create it: CREATE USER … SET PASSWORD … CHANGE NOT REQUIRED.',
    );
  }
  const passwordFile = secretFiles.get('NEO4J_READER_PASSWORD');
  return new Database({ uri, user, password, passwordFile, database }, instruments, main.bookmarks);
}
