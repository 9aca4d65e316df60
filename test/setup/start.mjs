import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../dist/config/config.js';
import { findTools, startEmbedded } from '../../dist/neo4jServer/embedded.js';
import { createHome } from '../../dist/neo4jServer/home.js';
import { jarDirectory, provideJars } from '../../dist/neo4jServer/jars.js';
import { stopProcess } from '../../dist/neo4jServer/processes.js';
import { recall } from '../../dist/neo4jServer/running.js';
import { startNeo4j } from '../../dist/neo4jServer/server.js';
import stop from './stop.mjs';

const archiveLimitMs = 180_000;
const testSettings = { NEO4J_BOLT_PORT: '0', NEO4J_HTTP_PORT: '0', NEO4J_HEAP: '768m' };
const report = (line) => process.stderr.write(`${line}\n`);

/**
 * Starts a Neo4j for each worker, on new data, or connects to NEO4J_URI. The tests read from TEST_NEO4J where they are
 * (test/support/service.ts), whoever is started by hand, or by a program that has no workers, from NEO4J_*.
 */
export default async function start({ maxWorkers = 1, nonFlagArgs = [] } = {}) {
  // stop.mjs runs in the same process.
  globalThis.sharedNeo4j = { servers: [], directories: [] };
  try {
    await startAll(isOneFile(nonFlagArgs) ? 1 : maxWorkers, nonFlagArgs.length === 0);
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
  process.env.TEST_NEO4J_PROCESSES = JSON.stringify(globalThis.sharedNeo4j.directories.map(processIn));
  Object.assign(process.env, found[0]);
}

/** The process of the Neo4j in a data directory: its number. */
const processIn = (directory) => recall(createHome(readConfig({ DATA_DIR: directory })))?.process.pid;

/** Jest runs it by one worker. */
const isOneFile = (names) => names.length === 1 && names[0].endsWith('.test.ts');

async function startAll(count, isWhole) {
  const { NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD, NEO4J_SERVER } = process.env;
  const { servers, directories } = globalThis.sharedNeo4j;
  if (NEO4J_URI) {
    if (count > 1) throw new Error('NEO4J_URI is one Neo4j: run the tests with -i.');
    servers.push(await startNeo4j(readConfig({ NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD }), report));
    return;
  }
  while (directories.length < count) directories.push(await mkdtemp(join(tmpdir(), 'concord-test-')));
  const configs = directories.map((directory) =>
    readConfig({ ...testSettings, NEO4J_PASSWORD, NEO4J_SERVER, DATA_DIR: directory }),
  );
  await provideSharedJars(configs, isWhole);
  const starts = await Promise.allSettled(configs.map((config) => startNeo4j(config, report)));
  servers.push(...starts.flatMap(({ value }) => value ?? []));
  for (const { reason } of starts) if (reason) throw reason;
  // A Neo4j of a test's own lives for seconds: the quick compiler and the simplest collector take half the time.
  addJavaOptions('-XX:TieredStopAtLevel=1 -XX:+UseSerialGC');
}

function addJavaOptions(options) {
  process.env.JDK_JAVA_OPTIONS = `${process.env.JDK_JAVA_OPTIONS ?? ''} ${options}`.trim();
}

/**
 * Fetches the jars once for a checkout, which all data directories share: who starts a Neo4j of its own finds them by
 * TEST_NEO4J_JARS. Java takes Neo4j's classes from an archive, which is a third of the time of a start.
 */
async function provideSharedJars(configs, isWhole) {
  const cache = readConfig({ ...testSettings, DATA_DIR: 'node_modules/.cache/concord' });
  const tools = await findTools(cache, process.env);
  if (tools.missing !== undefined) return;
  const jars = await provideJars(createHome(cache), tools, report);
  process.env.TEST_NEO4J_JARS = jars;
  // A Neo4j of a test's own is not to archive its classes when it ends.
  addJavaOptions('-Xshare:auto');
  for (const config of configs) await symlink(jars, jarDirectory(createHome(config)));
  const archive = `${jars}.jsa`;
  if (isWhole && !existsSync(archive)) await archiveClasses(configs[0], tools, archive);
  // Java goes on without an archive that another Java wrote, or that is of other jars.
  if (existsSync(archive)) addJavaOptions(`-XX:SharedArchiveFile="${archive}"`);
}

/** Java writes the archive when a Neo4j ends; a start later it is there under its name. */
async function archiveClasses(config, tools, archive) {
  report("Archiving Neo4j's classes for the runs to come");
  const written = `${archive}.part`;
  const options = `-XX:ArchiveClassesAtExit="${written}"`;
  await rm(written, { force: true });
  const environment = { ...process.env, JDK_JAVA_OPTIONS: options };
  const server = await startEmbedded(config, { java: tools.java, environment }, report);
  // Writing takes seconds, on a busy machine more than the 30 of close().
  await stopProcess(recall(createHome(config)).process, archiveLimitMs);
  await server.close();
  if (existsSync(written)) await rename(written, archive);
}
