import { readFileSync } from 'node:fs';
import { StartupError } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import { Database, type DatabaseAddress } from '../../graph/database/database.ts';
import { connectExternal } from '../../neo4jServer/external.ts';
import { homeOf } from '../../neo4jServer/home.ts';
import { passwordFile, user } from '../../neo4jServer/password.ts';
import { isRunning } from '../../neo4jServer/processes.ts';
import { recall } from '../../neo4jServer/running.ts';
import { type Neo4jServer, startNeo4j } from '../../neo4jServer/server.ts';
import type { Io } from '../terminal/io.ts';

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

/**
 * Connects to the database of a service with the same settings, beside it: to NEO4J_URI, or to the embedded Neo4j of
 * DATA_DIR, which must be running. Nothing is started.
 * @throws StartupError saying what to do
 */
export async function connectDatabase(config: Config): Promise<Database> {
  return new Database(await databaseAddress(config));
}

/** Where `connectDatabase` connects to. @throws StartupError as it does */
export async function databaseAddress(config: Config): Promise<DatabaseAddress> {
  return addressOf(
    config.NEO4J_URI ? await connectExternal(config, config.NEO4J_URI) : await connectEmbedded(config),
    config,
  );
}

/**
 * Does work on the database of a service that doesn't run. The embedded Neo4j, or one in Docker, is started for it and
 * stopped again.
 * @throws StartupError
 */
export async function withDatabaseAtRest<T>(
  config: Config,
  report: (line: string) => void,
  work: (address: DatabaseAddress) => Promise<T>,
): Promise<T> {
  const server = await startNeo4j(config, report);
  try {
    return await work(addressOf(server, config));
  } finally {
    await server.close();
  }
}

function addressOf({ uri, user, password }: Neo4jServer, { NEO4J_DATABASE: database }: Config): DatabaseAddress {
  // Without a password, authentication is off.
  return { uri, user, ...(password !== '' && { password }), database };
}

async function connectEmbedded(config: Config) {
  const home = homeOf(config);
  const running = recall(home);
  if (!running || !isRunning(running.process)) {
    throw new StartupError(
      `No Neo4j of Concord's own runs on ${home}. Start Concord there first (or set DATA_DIR to where it runs); ` +
        'for a Neo4j of yours or in Docker set NEO4J_URI and NEO4J_PASSWORD.',
    );
  }
  const uri = `bolt://127.0.0.1:${running.ports.bolt}`;
  return await connectExternal({ ...config, NEO4J_USER: user, NEO4J_PASSWORD: keptPassword(home) }, uri);
}

function keptPassword(home: string): string {
  const file = passwordFile(home);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartupError(
      `The password of Concord's Neo4j cannot be read: ${why}. Run this as the user that Concord runs as.`,
      { cause: error },
    );
  }
}
