import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../dist/config/config.js';
import { findTools } from '../../dist/neo4jServer/embedded.js';
import { createHome } from '../../dist/neo4jServer/home.js';
import { jarDirectory, provideJars } from '../../dist/neo4jServer/jars.js';
import { startNeo4j } from '../../dist/neo4jServer/server.js';
import stop from './stop.mjs';

const report = (line) => process.stderr.write(`${line}\n`);

/**
 * Starts a Neo4j for each worker, on new data, or connects to NEO4J_URI. The tests read from TEST_NEO4J where they are
 * (test/support/service.ts), whoever is started by hand, or by a program that has no workers, from NEO4J_*.
 */
export default async function start({ maxWorkers = 1, nonFlagArgs = [] } = {}) {
  // stop.mjs runs in the same process.
  globalThis.sharedNeo4j = { servers: [], directories: [] };
  try {
    await startAll(isOneFile(nonFlagArgs) ? 1 : maxWorkers);
  } catch (error) {
    await stop();
    throw error;
  }
  const found = globalThis.sharedNeo4j.servers.map(({ uri, user, password }) => ({
    NEO4J_URI: uri,
    NEO4J_USER: user,
    NEO4J_PASSWORD: password,
  }));
  process.env.TEST_NEO4J = JSON.stringify(found);
  Object.assign(process.env, found[0]);
}

/** Jest runs it by one worker. */
const isOneFile = (names) => names.length === 1 && names[0].endsWith('.test.ts');

async function startAll(count) {
  const { NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD, NEO4J_SERVER } = process.env;
  const { servers, directories } = globalThis.sharedNeo4j;
  if (NEO4J_URI) {
    if (count > 1) throw new Error('NEO4J_URI is one Neo4j: run the tests with -i.');
    servers.push(await startNeo4j(readConfig({ NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD }), report));
    return;
  }
  while (directories.length < count) directories.push(await mkdtemp(join(tmpdir(), 'concord-test-')));
  const configs = directories.map((directory) =>
    readConfig({
      NEO4J_PASSWORD,
      NEO4J_SERVER,
      DATA_DIR: directory,
      NEO4J_BOLT_PORT: '0',
      NEO4J_HTTP_PORT: '0',
      NEO4J_HEAP: '768m',
    }),
  );
  await provideSharedJars(configs);
  const starts = await Promise.allSettled(configs.map((config) => startNeo4j(config, report)));
  servers.push(...starts.flatMap(({ value }) => value ?? []));
  for (const { reason } of starts) if (reason) throw reason;
}

/** Two Mavens at once would write into one repository. Who starts a Neo4j of its own finds the jars by TEST_NEO4J_JARS. */
async function provideSharedJars([first, ...others]) {
  const tools = await findTools(first, process.env);
  if (tools.missing !== undefined) return;
  const jars = await provideJars(createHome(first), tools, report);
  process.env.TEST_NEO4J_JARS = jars;
  for (const config of others) await symlink(jars, jarDirectory(createHome(config)));
}
