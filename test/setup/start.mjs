import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../dist/config/config.js';
import { startNeo4j } from '../../dist/neo4jServer/server.js';

/** Starts one Neo4j for the whole run, on new data, or connects to NEO4J_URI; the tests read where from NEO4J_*. */
export default async function start() {
  const { NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD, NEO4J_SERVER } = process.env;
  const directory = NEO4J_URI ? undefined : await mkdtemp(join(tmpdir(), 'concord-test-'));
  const config = readConfig({
    NEO4J_URI,
    NEO4J_USER,
    NEO4J_PASSWORD,
    NEO4J_SERVER,
    DATA_DIR: directory,
    NEO4J_BOLT_PORT: '0',
    NEO4J_HTTP_PORT: '0',
  });
  const report = (line) => process.stderr.write(`${line}\n`);
  const server = await startNeo4j(config, report).catch(async (error) => {
    if (directory) await rm(directory, { recursive: true, force: true });
    throw error;
  });
  process.env.NEO4J_URI = server.uri;
  process.env.NEO4J_USER = server.user;
  process.env.NEO4J_PASSWORD = server.password;
  // stop.mjs runs in the same process.
  globalThis.sharedNeo4j = { server, directory };
}
